using Spectre.Console;

namespace Opossum.Cli.Terminals;

/// <summary>Shows the progress of long work on the standard error: a bar on a screen, lines elsewhere.</summary>
internal static class ProgressDisplay
{
    // Shorter work is over before a bar could be read.
    private static readonly TimeSpan delay = TimeSpan.FromMilliseconds(400);

    public static Task<T> RunAsync<T>(Terminal terminal, Func<IProgress<Step>, Task<T>> work)
    {
        if (!terminal.IsErrorScreen)
            return work(new ProgressLines(terminal));
        var (latest, began) = (new Latest(), terminal.TimeProvider.GetTimestamp());
        var running = Task.Run(() => work(latest));
        // The thread has nothing else to do, and short work needs no more than this.
        return Task.WaitAny([running], delay) == 0 ? running : DrawUntilDoneAsync(terminal, latest, running, began);
    }

    private static async Task<T> DrawUntilDoneAsync<T>(Terminal terminal, Latest latest, Task<T> running, long began)
    {
        await DrawAsync(terminal, latest, running, began).ConfigureAwait(false);
        return await running.ConfigureAwait(false);
    }

    private static Task DrawAsync(Terminal terminal, Latest latest, Task running, long began)
    {
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(terminal.ErrorScreen) });
        return console.Progress()
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(),
                new RateColumn(terminal.TimeProvider, began))
            .StartAsync(async context =>
            {
                var task = context.AddTask("Working");
                do
                {
                    Show(latest.Step, task);
                    await Task.WhenAny(running, Task.Delay(TimeSpan.FromMilliseconds(100))).ConfigureAwait(false);
                }
                while (!running.IsCompleted);
            });
    }

    private static void Show(Step step, ProgressTask task)
    {
        task.IsIndeterminate = step.Total == 0;
        if (step.Total == 0)
            return;
        task.Description = Markup.Escape(step.Label);
        task.MaxValue = step.Total;
        task.Value = step.Done;
    }

    private sealed class Latest : IProgress<Step>
    {
        private readonly Lock gate = new();
        private Step step;

        public Step Step
        {
            get
            {
                lock (gate)
                    return step;
            }
        }

        public void Report(Step value)
        {
            lock (gate)
                step = value;
        }
    }
}
