using System.Diagnostics;

namespace AssemblyLine;

/// <summary>The process of a machine; it does not outlive this object.</summary>
internal sealed class MachineProcess : IDisposable
{
    private readonly Process process;
    private readonly Task<string> errors;

    private MachineProcess(Process process)
    {
        this.process = process;
        errors = process.StandardError.ReadToEndAsync();
    }

    public int Id => process.Id;

    /// <summary>Starts this program again, as a machine.</summary>
    public static MachineProcess Start(MachineSettings machine)
    {
        // With "dotnet AssemblyLine.dll" the running program is dotnet itself.
        var program = Environment.ProcessPath!;
        string[] self = Path.GetFileNameWithoutExtension(program) == "dotnet" ? [typeof(MachineProcess).Assembly.Location] : [];
        string[] role =
        [
            "machine", machine.Name, "--store", machine.Store,
            "--operators", $"{machine.Operators}", "--rate", $"{machine.Rate}", "--seed", $"{machine.Seed}",
        ];
        var start =
            new ProcessStartInfo(program, [.. self, .. role])
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true
            };
        return new MachineProcess(Process.Start(start)!);
    }

    /// <summary>Reads the machine's reports until its process ends.</summary>
    public async IAsyncEnumerable<MachineReport> ReadReportsAsync()
    {
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            // A killed process may leave part of a line.
            if (line.EndsWith('}'))
                yield return MachineReport.Parse(line);
        }
    }

    /// <summary>Waits for the end. The error is the machine's message when it gave up; a killed process leaves none.</summary>
    public async Task<(int ExitCode, string Error)> EndAsync()
    {
        await process.WaitForExitAsync();
        return (process.ExitCode, (await errors).Trim());
    }

    /// <summary>Asks it to end: a machine ends its shift when its input ends.</summary>
    public void Stop() => process.StandardInput.Close();

    public void Kill() => process.Kill();

    public void Dispose()
    {
        process.Kill();
        process.Dispose();
    }
}
