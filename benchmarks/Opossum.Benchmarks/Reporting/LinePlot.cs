using System.Globalization;

namespace Opossum.Benchmarks.Reporting;

/// <summary>Lines over a common axis, from zero upwards.</summary>
/// <param name="Title">What is shown, with the unit.</param>
/// <param name="XTitle">The title of the horizontal axis.</param>
/// <param name="Lines">Each with a name and its points, ascending by X.</param>
internal sealed record LinePlot(string Title, string XTitle, IReadOnlyList<(string Name, IReadOnlyList<(double X, double Y)> Points)> Lines)
{
    private const double Width = 760, Height = 330, Left = 70, Right = 30, Top = 62, Bottom = 52;
    private const int Steps = 5;

    public string Draw()
    {
        var svg = new Svg(Width, Height, Title);
        var xMax = NiceMax(Lines.Max(line => line.Points.Max(point => point.X)));
        var yMax = NiceMax(Lines.Max(line => line.Points.Max(point => point.Y)));
        svg.Words(8, 20, Title, "title");
        for (var step = 0; step <= Steps; step++)
        {
            double x = Left + step * (Width - Left - Right) / Steps, y = Height - Bottom - step * (Height - Top - Bottom) / Steps;
            svg.Line(Left, y, Width - Right, y, "axis");
            svg.Words(Left - 8, y + 4, Label(yMax * step / Steps), "faint", "end");
            svg.Words(x, Height - Bottom + 18, Label(xMax * step / Steps), "faint", "middle");
        }
        svg.Words(Left + (Width - Left - Right) / 2, Height - 12, XTitle, "faint", "middle");
        for (var at = 0; at < Lines.Count; at++)
        {
            var series = at % Svg.SeriesMax;
            var points =
                Lines[at].Points.Select(point => (X: Left
                    + point.X / xMax * (Width - Left - Right), Y: Height - Bottom - point.Y / yMax * (Height - Top - Bottom))).ToArray();
            svg.Polyline(points, "line stroke" + series);
            foreach (var (x, y) in points)
                svg.Dot(x, y, "series" + series);
            svg.Rectangle(Left + at * 200, 36, 12, 12, "series" + series);
            svg.Words(Left + at * 200 + 18, 46, Lines[at].Name);
        }
        return svg.ToString();
    }

    // The next of these times a power of ten: five steps divide them well.
    private static double NiceMax(double value)
    {
        if (value <= 0)
            return 1;
        var power = Math.Pow(10, Math.Floor(Math.Log10(value)));
        return new[] { 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10 }.First(factor => factor * power >= value) * power;
    }

    private static string Label(double value) => value.ToString(value is >= 10 or 0 ? "N0" : "0.##", CultureInfo.InvariantCulture);
}
