using System.Data.Common;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using DuckDB.NET.Data;
using DuckDB.NET.Native;

namespace Opossum.Sql;

/// <summary>The rows of an answer as text, in columns.</summary>
internal static partial class RowText
{
    /// <summary>Has the statements carried out and their rows written; nothing for one without columns.</summary>
    public static void Write(DuckDBConnection database, string sql, TextWriter output)
    {
        using var command = database.CreateCommand();
        foreach (var statement in Statement().Matches(sql).Select(static each => each.Value).Where(static each => !Nothing().IsMatch(each)))
        {
            using var reader = Execute(command, statement);
            Write(reader, output);
        }
    }

    // DuckDB makes the texts: .NET has no type for some of its values. What is no query, such as copy, or is wrong, is carried out as it is.
    private static DuckDBDataReader Execute(DuckDBCommand command, string statement)
    {
        try
        {
            command.CommandText = $"select columns(*)::varchar from (\n{statement}\n)";
            return command.ExecuteReader();
        }
        // It failed before it ran.
        catch (DuckDBException e) when (e.ErrorType == DuckDBErrorType.Invalid)
        {
            command.CommandText = statement;
            return command.ExecuteReader();
        }
    }

    private static void Write(DuckDBDataReader reader, TextWriter output)
    {
        for (var at = 0; at < reader.FieldCount; at++)
            ThrowIfTextDiffers(reader, at);
        List<string[]> rows = [[.. Enumerable.Range(0, reader.FieldCount).Select(at => Visible(reader.GetName(at)))]];
        while (reader.Read())
            rows.Add([.. Enumerable.Range(0, reader.FieldCount).Select(at => Text(reader, at))]);
        var widths = rows[0].Select((_, at) => rows.Max(row => row[at].Length)).ToArray();
        foreach (var row in rows.Where(static row => row.Length > 0))
            output.WriteLine(string.Join("  ", row.Select((value, at) => value.PadRight(widths[at]))).TrimEnd());
    }

    // .NET would write other texts than DuckDB, or none: of lists, dates and bytes.
    private static void ThrowIfTextDiffers(DuckDBDataReader reader, int at)
    {
        if (Type.GetTypeCode(reader.GetFieldType(at)) is not (TypeCode.String or TypeCode.Boolean or TypeCode.Decimal
            or (>= TypeCode.SByte and <= TypeCode.UInt64)))
        {
            var name = Visible(reader.GetName(at));
            throw new InvalidOperationException($"{name} is of the type {reader.GetDataTypeName(at)}, which only a query shows as text: cast it, as "
                + $"in {name}::varchar or columns(*)::varchar.");
        }
    }

    private static string Text(DbDataReader reader, int at) => reader.IsDBNull(at) ? "" : reader.GetValue(at) switch
    {
        true => "true",
        false => "false",
        var value => Visible(Convert.ToString(value, CultureInfo.InvariantCulture)!),
    };

    // Line ends become spaces; what else controls a terminal, or turns the direction of writing, is escaped as in JSON.
    private static string Visible(string text)
    {
        var visible = new StringBuilder(text.Length);
        foreach (var each in text.ReplaceLineEndings(" "))
        {
            if (char.GetUnicodeCategory(each) is UnicodeCategory.Control or UnicodeCategory.Format)
                visible.Append(CultureInfo.InvariantCulture, $"\\u{(int)each:x4}");
            else
                visible.Append(each);
        }
        return visible.ToString();
    }

    // A semicolon ends one, unless it is in a text, a name in quotes or a comment.
    [GeneratedRegex("""(?>\b[eE]'(?:\\.|''|[^'\\])*'|'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|/\*.*?\*/|[^;])+""", RegexOptions.Singleline)]
    private static partial Regex Statement();

    [GeneratedRegex(@"\A(?:\s|--[^\n]*|/\*.*?\*/)*\z", RegexOptions.Singleline)]
    private static partial Regex Nothing();
}
