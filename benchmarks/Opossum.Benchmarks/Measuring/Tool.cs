using System.Diagnostics;

namespace Opossum.Benchmarks.Measuring;

/// <summary>Runs another program to its end.</summary>
internal static class Tool
{
    /// <exception cref="CannotMeasureException">It is missing or failed; the message holds its output.</exception>
    public static async Task RunAsync(string program, IReadOnlyList<string> arguments, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardError = true, RedirectStandardOutput = true };
        try
        {
            using var process = Process.Start(start)!;
            var output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
            var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
            try
            {
                await process.WaitForExitAsync(cancellationToken);
            }
            catch (OperationCanceledException)
            {
                process.Kill();
                throw;
            }
            if (process.ExitCode != 0)
                throw new CannotMeasureException($"{program} {string.Join(' ', arguments)} failed: {await errors}{await output}");
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new CannotMeasureException($"{program} cannot be run: {e.Message}", e);
        }
    }
}
