using System.Diagnostics;
using Opossum.Tests.Architecture;

namespace Opossum.SampleTests;

/// <summary>Runs a sample as its readers do: as a process, with arguments.</summary>
internal static class SampleProgram
{
    private static readonly TimeSpan patience = TimeSpan.FromMinutes(2);

    /// <summary>Runs a sample to its end; where nobody asks for long tests, its test is skipped.</summary>
    /// <param name="sample">The sample's name.</param>
    /// <param name="environment">A further environment variable and its value; null: none.</param>
    /// <param name="arguments">The arguments.</param>
    public static Task<(int ExitCode, string Output, string Error)> RunAsync(string sample, (string Name, string Value)? environment,
        params string[] arguments)
    {
        LongTests.SkipUnlessAsked();
        return RunProgramAsync("dotnet", environment, [AssemblyOf(sample), .. arguments]);
    }

    /// <summary>The assembly of a sample. Only a build for long tests makes it.</summary>
    public static string AssemblyOf(string sample) => SourceTree.AssemblyOf("samples", sample);

    /// <summary>Runs any program to its end.</summary>
    public static async Task<(int ExitCode, string Output, string Error)> RunProgramAsync(string name, (string Name, string Value)? environment,
        params string[] arguments)
    {
        var start = new ProcessStartInfo(name, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (environment is { } variable)
            start.Environment[variable.Name] = variable.Value;
        using var process = Process.Start(start)!;
        using var timeout = new CancellationTokenSource(patience);
        var output = process.StandardOutput.ReadToEndAsync(timeout.Token);
        var error = process.StandardError.ReadToEndAsync(timeout.Token);
        try
        {
            await process.WaitForExitAsync(timeout.Token);
            return (process.ExitCode, await output, await error);
        }
        finally
        {
            if (!process.HasExited)
                process.Kill(entireProcessTree: true);
        }
    }
}
