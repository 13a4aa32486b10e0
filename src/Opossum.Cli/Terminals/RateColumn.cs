using Spectre.Console;
using Spectre.Console.Rendering;

namespace Opossum.Cli.Terminals;

/// <summary>Rate and time left of a progress bar's work.</summary>
/// <remarks>Spectre's own columns look at the last moments only: their first figures are off by orders of magnitude.</remarks>
internal sealed class RateColumn(TimeProvider clock, long began) : ProgressColumn
{
    protected override bool NoWrap => true;

    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Spectre.Console.Text(task.IsIndeterminate ? "" : Pace.InWords(task.Value, task.MaxValue, clock.GetElapsedTime(began)));
}
