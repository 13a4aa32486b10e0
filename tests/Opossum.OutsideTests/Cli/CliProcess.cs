using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using Opossum.Cli;
using Opossum.Tests.Architecture;

namespace Opossum.CliTests;

/// <summary>A command that runs in a process of its own, and can be interrupted as Ctrl-C does it.</summary>
internal sealed class CliProcess : IDisposable
{
    /// <summary>The program where it was built: beside it lies what it needs, beside the tests what they need.</summary>
    public static readonly string Program = SourceTree.AssemblyOf("src", "Opossum.Cli");

    private static readonly TimeSpan patience = TimeSpan.FromMinutes(1);

    // Files can be made, and nothing can be written to them.
    private static readonly string[] withoutRoom = ["-c", "trap '' XFSZ; ulimit -f 0; exec dotnet \"$@\"", "bash"];

    private readonly Process process;
    private readonly Task<string> output;
    private readonly Task<string> error;

    public CliProcess(params string[] arguments)
        : this(readsOutput: true, arguments)
    {
    }

    private CliProcess(bool readsOutput, string[] arguments, string folder = "", string? defaultStore = null, bool isDiskFull = false)
    {
        process = Process.Start(new ProcessStartInfo(isDiskFull ? "bash" : "dotnet", [.. isDiskFull ? withoutRoom : [], Program, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
            // The runtime itself grows a file with this switch, which a full disk would not let it do.
            Environment = { ["OPOSSUM_STORE"] = defaultStore, ["DOTNET_EnableWriteXorExecute"] = isDiskFull ? "0" : null },
        })!;
        output = readsOutput ? process.StandardOutput.ReadToEndAsync() : Task.FromResult("");
        error = process.StandardError.ReadToEndAsync();
    }

    public StreamWriter Input => process.StandardInput;

    /// <summary>Runs a command in a folder, and with a store, or none, in the environment's OPOSSUM_STORE.</summary>
    public static async Task<ShellResult> RunInAsync(string folder, string? defaultStore, params string[] arguments)
    {
        using var started = new CliProcess(readsOutput: true, arguments, folder, defaultStore);
        return await started.EndAsync();
    }

    /// <summary>Runs a command in a folder, where no file takes a byte.</summary>
    public static async Task<ShellResult> RunOnFullDiskAsync(string folder, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux can be told that no file takes a byte");
        using var started = new CliProcess(readsOutput: true, arguments, folder, isDiskFull: true);
        return await started.EndAsync();
    }

    /// <summary>
    /// Starts a command of whose output one line is read, and then nothing. Returns when the command waits for its reader.
    /// </summary>
    public static async Task<CliProcess> StartWithStalledReaderAsync(params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows what a process waits for");
        var started = new CliProcess(readsOutput: false, arguments);
        await started.process.StandardOutput.ReadLineAsync().WaitAsync(patience);
        for (var begun = Stopwatch.GetTimestamp(); !started.WaitsInWrite();)
        {
            Assert.True(Stopwatch.GetElapsedTime(begun) < patience, "The command does not wait for its reader.");
            await Task.Yield();
        }
        return started;
    }

    /// <summary>Sends SIGINT, and waits for the end.</summary>
    public async Task<ShellResult> InterruptAsync()
    {
        using var kill = Process.Start("kill", ["-INT", process.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync().WaitAsync(patience);
        return await EndAsync();
    }

    /// <summary>Waits for the end.</summary>
    public async Task<ShellResult> EndAsync()
    {
        await process.WaitForExitAsync().WaitAsync(patience);
        return new ShellResult((ExitCode)process.ExitCode, await output, await error);
    }

    public void Dispose()
    {
        if (!process.HasExited)
            process.Kill();
        process.Dispose();
    }

    // A thread that waits in a system call shows its number: proc_pid_syscall(5).
    private bool WaitsInWrite()
    {
        var write = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? "64 " : "1 ";
        try
        {
            return Directory.GetDirectories($"/proc/{process.Id}/task")
                .Any(thread => File.ReadAllText(Path.Combine(thread, "syscall")).StartsWith(write, StringComparison.Ordinal));
        }
        catch (IOException)
        {
            // A thread has just ended.
            return false;
        }
    }
}
