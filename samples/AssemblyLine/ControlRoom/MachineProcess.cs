using System.Diagnostics;

namespace AssemblyLine;

/// <summary>One process of a machine; it does not outlive this object.</summary>
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

    /// <summary>Starts this program once more, as a machine.</summary>
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
        var start = new ProcessStartInfo(program, [.. self, .. role]) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        return new MachineProcess(Process.Start(start)!);
    }

    /// <summary>What the machine reports, until its process ends.</summary>
    public async IAsyncEnumerable<MachineReport> ReadReportsAsync()
    {
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            // A process that is killed may leave a part of a line.
            if (line.EndsWith('}'))
                yield return MachineReport.Parse(line);
        }
    }

    /// <summary>Waits for the end. The error is what the machine said when it gave up; a process that was killed says nothing.</summary>
    public async Task<(int ExitCode, string Error)> EndAsync()
    {
        await process.WaitForExitAsync();
        return (process.ExitCode, (await errors).Trim());
    }

    /// <summary>Asks it to end: to a machine, the end of its input is the end of its shift.</summary>
    public void Stop() => process.StandardInput.Close();

    public void Kill() => process.Kill();

    public void Dispose()
    {
        process.Kill();
        process.Dispose();
    }
}
