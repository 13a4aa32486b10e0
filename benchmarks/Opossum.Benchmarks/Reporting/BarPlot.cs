namespace Opossum.Benchmarks.Reporting;

/// <summary>
/// Horizontal bars in groups, with whiskers for the quartiles. Each group has a scale of its own, from zero: bars compare within their
/// group.
/// </summary>
/// <param name="Title">What is shown, with the unit.</param>
/// <param name="Groups">From top to bottom.</param>
internal sealed record BarPlot(string Title, IReadOnlyList<BarGroup> Groups)
{
    private const double Width = 760, Left = 110, Right = 150, TitleHeight = 34, GroupHeading = 22, BarHeight = 15, BarGap = 4, GroupGap = 12;

    public string Draw()
    {
        var height = TitleHeight + Groups.Sum(HeightOf) + 8;
        var svg = new Svg(Width, height, Title);
        svg.Words(8, 20, Title, "title");
        var y = TitleHeight;
        foreach (var group in Groups)
        {
            Draw(svg, group, y);
            y += HeightOf(group);
        }
        return svg.ToString();
    }

    private static double HeightOf(BarGroup group) => GroupHeading + group.Bars.Count * (BarHeight + BarGap) + GroupGap;

    private static void Draw(Svg svg, BarGroup group, double top)
    {
        var scale = (Width - Left - Right) / group.Bars.Max(bar => Math.Max(bar.Value, bar.High));
        svg.Words(8, top + 14, group.Name, "group");
        var y = top + GroupHeading;
        svg.Line(Left, y - 2, Left, y + group.Bars.Count * (BarHeight + BarGap), "axis");
        foreach (var bar in group.Bars)
        {
            var middle = y + BarHeight / 2;
            svg.Words(Left - 6, y + BarHeight - 3, bar.Name, "", "end");
            svg.Rectangle(Left, y, Math.Max(1, bar.Value * scale), BarHeight, "series" + bar.Series);
            svg.Line(Left + bar.Low * scale, middle, Left + bar.High * scale, middle, "whisker");
            svg.Line(Left + bar.Low * scale, middle - 3, Left + bar.Low * scale, middle + 3, "whisker");
            svg.Line(Left + bar.High * scale, middle - 3, Left + bar.High * scale, middle + 3, "whisker");
            svg.Words(Left + Math.Max(bar.Value, bar.High) * scale + 8, y + BarHeight - 3, bar.Label);
            y += BarHeight + BarGap;
        }
    }
}
