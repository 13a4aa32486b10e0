using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;

namespace Opossum.AspNetCore.Pages;

/// <summary>Text of a page. It is written only as interpolated strings: their literal parts are markup, and every value in them is encoded.</summary>
internal sealed class Html
{
    // Everything outside of markup's own characters and control characters stays as it is.
    private static readonly HtmlEncoder encoder = HtmlEncoder.Create(UnicodeRanges.All);

    private readonly StringBuilder text = new();

    public override string ToString() => text.ToString();

    [SuppressMessage("Performance", "CA1822", Justification = "The compiler passes this page to the handler, which writes into it.")]
    public Html Add([InterpolatedStringHandlerArgument("")] ref Markup markup) => markup.Target;

    /// <summary>Writes the parts of an interpolated string into a page.</summary>
    /// <remarks>
    /// <c>{value}</c> is text to be read: invisible characters are written as escapes. <c>{value:exact}</c> is the value of an attribute that is
    /// sent back, such as an input's. <c>{value:lines}</c> is text to be read that keeps its line breaks.
    /// </remarks>
    [InterpolatedStringHandler]
    public readonly ref struct Markup
    {
        public Markup(int literalLength, int formattedCount, Html html)
        {
            Target = html;
            html.text.EnsureCapacity(html.text.Length + literalLength + (formattedCount * 8));
        }

        public Html Target { get; }

        public void AppendLiteral(string markup) => Target.text.Append(markup);

        public void AppendFormatted(string? value) => AppendFormatted(value, null);

        public void AppendFormatted(string? value, string? format)
        {
            if (string.IsNullOrEmpty(value))
                return;
            Target.text.Append(format switch
            {
                null => encoder.Encode(VisibleText.Of(value)),
                // The encoder would write each break as a number, and indented JSON has thousands.
                "lines" => string.Join('\n', VisibleText.Of(value, keepsLines: true).Split('\n').Select(encoder.Encode)),
                "exact" => encoder.Encode(value),
                _ => throw new FormatException($"There is no form \"{format}\" of a value in a page."),
            });
        }

        public void AppendFormatted(long value) => Target.text.Append(CultureInfo.InvariantCulture, $"{value}");

        public void AppendFormatted(long value, string format) => Target.text.Append(value.ToString(format, CultureInfo.InvariantCulture));
    }
}
