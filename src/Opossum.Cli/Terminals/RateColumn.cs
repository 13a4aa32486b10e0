using Spectre.Console;
using Spectre.Console.Rendering;

namespace Opossum.Cli.Terminals;

/// <summary>How much of a progress bar's work is done each second.</summary>
internal sealed class RateColumn : ProgressColumn
{
    protected override bool NoWrap => true;

    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Markup(task.Speed is { } speed ? $"{Text.Of((long)speed)}/s" : "").RightJustified();
}
