namespace Opossum.Cli.Terminals;

/// <summary>Shows progress as lines, for logs: one every few seconds, with rate and time left.</summary>
internal sealed class ProgressLines(Terminal terminal) : IProgress<Step>
{
    private static readonly TimeSpan interval = TimeSpan.FromSeconds(5);

    private readonly Lock gate = new();
    private readonly long began = terminal.TimeProvider.GetTimestamp();
    private long writtenAt = terminal.TimeProvider.GetTimestamp();

    public void Report(Step value)
    {
        lock (gate)
        {
            if (terminal.TimeProvider.GetElapsedTime(writtenAt) < interval)
                return;
            writtenAt = terminal.TimeProvider.GetTimestamp();
            terminal.Error.WriteLine(LineOf(value, terminal.TimeProvider.GetElapsedTime(began)));
        }
    }

    private static string LineOf(Step step, TimeSpan elapsed) =>
        $"{step.Label}: {Text.Of(step.Done)} of {Text.Of(step.Total)} {step.Unit}"
            + (Pace.InWords(step.Done, step.Total, elapsed) is { Length: > 0 } pace ? $", {pace}" : "");
}
