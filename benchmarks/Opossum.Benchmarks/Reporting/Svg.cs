using System.Globalization;
using System.Security;
using System.Text;

namespace Opossum.Benchmarks.Reporting;

/// <summary>A picture of rectangles, lines and texts. Its colours follow whether the reader's page is light or dark.</summary>
internal sealed class Svg(double width, double height, string title)
{
    // The colours of series can be distinguished with any colour vision (Okabe and Ito), on white and on black.
    private const string Style = """
        text { font-family: system-ui, sans-serif; font-size: 12px; fill: #1f2328; }
        .title { font-size: 15px; font-weight: 600; }
        .group { font-weight: 600; }
        .faint { fill: #59636e; }
        .axis { stroke: #d1d9e0; stroke-width: 1; }
        .whisker { stroke: #1f2328; stroke-width: 1.2; }
        .series0 { fill: #0072b2; } .series1 { fill: #8c959f; } .series2 { fill: #c0c7ce; } .series3 { fill: #d55e00; }
        .line { fill: none; stroke-width: 2; }
        .stroke0 { stroke: #0072b2; } .stroke1 { stroke: #8c959f; } .stroke2 { stroke: #c0c7ce; } .stroke3 { stroke: #d55e00; }
        @media (prefers-color-scheme: dark) {
          text { fill: #f0f6fc; } .faint { fill: #9198a1; } .axis { stroke: #3d444d; } .whisker { stroke: #f0f6fc; }
          .series0 { fill: #56b4e9; } .series2 { fill: #59636e; } .series3 { fill: #e69f00; }
          .stroke0 { stroke: #56b4e9; } .stroke2 { stroke: #59636e; } .stroke3 { stroke: #e69f00; }
        }
        """;

    private readonly StringBuilder body = new();

    /// <summary>How many colours for series there are.</summary>
    public const int SeriesMax = 4;

    public void Rectangle(double x, double y, double rectangleWidth, double rectangleHeight, string style) =>
        Add($"""<rect class="{style}" x="{Text(x)}" y="{Text(y)}" width="{Text(rectangleWidth)}" height="{Text(rectangleHeight)}"/>""");

    public void Line(double fromX, double fromY, double toX, double toY, string style) =>
        Add($"""<line class="{style}" x1="{Text(fromX)}" y1="{Text(fromY)}" x2="{Text(toX)}" y2="{Text(toY)}"/>""");

    public void Polyline(IEnumerable<(double X, double Y)> points, string style) =>
        Add($"""<polyline class="{style}" points="{string.Join(' ', points.Select(point => Text(point.X) + "," + Text(point.Y)))}"/>""");

    public void Dot(double x, double y, string style) => Add($"""<circle class="{style}" cx="{Text(x)}" cy="{Text(y)}" r="3"/>""");

    /// <param name="x">Where it begins, ends or has its middle, by the anchor.</param>
    /// <param name="y">Of the line that the letters stand on.</param>
    /// <param name="words">The text.</param>
    /// <param name="style">A class of the style sheet; empty for plain text.</param>
    /// <param name="anchor">start, middle or end.</param>
    public void Words(double x, double y, string words, string style = "", string anchor = "start") =>
        Add($"""<text class="{style}" x="{Text(x)}" y="{Text(y)}" text-anchor="{anchor}">{SecurityElement.Escape(words)}</text>""");

    public override string ToString() => $"""
        <svg xmlns="http://www.w3.org/2000/svg" width="{Text(width)}" height="{Text(height)}" viewBox="0 0 {Text(width)} {Text(height)}" role="img">
        <title>{SecurityElement.Escape(title)}</title>
        <style>
        {Style}
        </style>
        {body}</svg>

        """;

    private void Add(string element) => body.Append(element).Append('\n');

    private static string Text(double number) => number.ToString("0.#", CultureInfo.InvariantCulture);
}
