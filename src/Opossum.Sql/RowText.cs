using System.Collections;
using System.Data.Common;
using System.Globalization;

namespace Opossum.Sql;

/// <summary>Writes the rows of a result as text, in columns.</summary>
internal static class RowText
{
    /// <summary>Writes all rows of the result at which the reader is; nothing when it has no columns.</summary>
    public static void Write(DbDataReader reader, TextWriter output)
    {
        List<string[]> rows = [[.. Enumerable.Range(0, reader.FieldCount).Select(reader.GetName)]];
        while (reader.Read())
            rows.Add([.. Enumerable.Range(0, reader.FieldCount).Select(at => Text(reader.GetValue(at)))]);
        var widths = rows[0].Select((_, at) => rows.Max(row => row[at].Length)).ToArray();
        foreach (var row in rows.Where(static row => row.Length > 0))
            output.WriteLine(string.Join("  ", row.Select((value, at) => value.PadRight(widths[at]))).TrimEnd());
    }

    private static string Text(object? value) => value switch
    {
        null or DBNull => "",
        string text => text.ReplaceLineEndings(" "),
        DateTime time => time.ToString("yyyy-MM-dd HH:mm:ss.FFFFFF", CultureInfo.InvariantCulture),
        // A time with an offset; a timestamp with one is a DateTime.
        DateTimeOffset time => time.ToString("HH:mm:ss.FFFFFFzzz", CultureInfo.InvariantCulture),
        DateOnly date => date.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
        TimeOnly time => time.ToString("HH:mm:ss.FFFFFF", CultureInfo.InvariantCulture),
        Stream blob => Hexadecimal(blob),
        IDictionary map => $"[{string.Join(", ", EntriesOf(map))}]",
        IEnumerable list => $"[{string.Join(", ", list.Cast<object?>().Select(Text))}]",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static IEnumerable<string> EntriesOf(IDictionary map) =>
        map.Keys.Cast<object>().Select(key => $"[{Text(key)}, {Text(map[key])}]");

    private static string Hexadecimal(Stream blob)
    {
        using var bytes = new MemoryStream();
        blob.CopyTo(bytes);
        return Convert.ToHexString(bytes.ToArray());
    }
}
