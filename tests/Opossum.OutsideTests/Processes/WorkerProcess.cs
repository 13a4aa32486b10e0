using System.Diagnostics;

namespace Opossum.ProcessTests;

/// <summary>A process of its own that a test started; it does not outlive the test.</summary>
internal sealed class WorkerProcess : IDisposable
{
    private readonly Process process;
    private readonly Task<string> errors;
    private bool isDisposed;

    private WorkerProcess(Process process)
    {
        this.process = process;
        errors = process.StandardError.ReadToEndAsync();
    }

    public int Id => process.Id;

    public bool WasKilled { get; private set; }

    /// <summary>Starts a worker in one of its roles; see Program.cs there.</summary>
    public static WorkerProcess Start(params string[] role) =>
        StartProgram(Path.Combine(AppContext.BaseDirectory, "Opossum.ProcessTests.Worker.dll"), role);

    /// <summary>Starts a program of ours, whose assembly is named.</summary>
    public static WorkerProcess StartProgram(string assembly, params string[] arguments)
    {
        var executable = Path.ChangeExtension(assembly, OperatingSystem.IsWindows() ? ".exe" : null);
        string[] command = [.. File.Exists(executable) ? [executable] : new[] { "dotnet", assembly }, .. arguments];
        var start =
            new ProcessStartInfo(command[0], command[1..])
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true
            };
        return new WorkerProcess(Process.Start(start)!);
    }

    /// <summary>Starts several and waits until each is ready.</summary>
    public static async Task<WorkerProcess[]> StartReadyAsync(int count, params string[] role)
    {
        var workers = Enumerable.Range(0, count).Select(_ => Start(role)).ToArray();
        foreach (var worker in workers)
            await worker.HearAsync("ready");
        return workers;
    }

    public void Say(string line)
    {
        try
        {
            process.StandardInput.WriteLine(line);
        }
        catch (IOException)
        {
            Assert.Fail($"A worker was to hear \"{line}\", but has ended. {errors.Result}");
        }
    }

    /// <summary>The next line; null: the process has ended.</summary>
    public async Task<string?> HearOrEndAsync() => await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);

    /// <summary>The next line, which begins as given; what follows is returned.</summary>
    public async Task<string> HearAsync(string start)
    {
        var line = await HearOrEndAsync();
        Assert.True(line?.StartsWith(start, StringComparison.Ordinal) == true,
            $"A worker was to say \"{start}\", but said \"{line}\". {(line is null ? await errors : "")}");
        return line![start.Length..];
    }

    /// <summary>Ends the process from outside, without any warning to it.</summary>
    public void Kill()
    {
        WasKilled = true;
        process.Kill();
    }

    /// <summary>Sends a signal, such as STOP or CONT, by the shell.</summary>
    public void Signal(string name) => Signal(name, $"{Id}");

    /// <summary>Halts the process. False: it has ended by itself.</summary>
    public bool TryHalt() => TrySignal("STOP", $"{Id}");

    /// <summary>Lets a halted process go on. It may have ended before it was halted: the system takes signals until its end was noticed.</summary>
    public void GoOn() => TrySignal("CONT", $"{Id}");

    /// <summary>Sends a signal to a process that is known by its id alone.</summary>
    public static void Signal(string name, string process) => Assert.True(TrySignal(name, process), $"There is no process {process}.");

    private static bool TrySignal(string name, string process)
    {
        using var shell = Process.Start("/bin/sh", ["-c", $"kill -{name} {process} 2> /dev/null"]);
        shell.WaitForExit();
        return shell.ExitCode == 0;
    }

    /// <summary>Waits for the end, and for a good one unless it was killed.</summary>
    public async Task EndAsync()
    {
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.True(WasKilled || process.ExitCode == 0, $"A worker ended with {process.ExitCode}. {await errors}");
    }

    /// <summary>Waits for a bad end, and gives what the process said of it.</summary>
    public async Task<string> FailAsync()
    {
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.NotEqual(0, process.ExitCode);
        return await errors;
    }

    public void Dispose()
    {
        if (isDisposed)
            return;
        isDisposed = true;
        process.Kill();
        process.WaitForExit();
        process.Dispose();
    }
}
