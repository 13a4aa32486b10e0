using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Pages;

/// <summary>Reads the fields of a form from a query string, and collects what is wrong with them.</summary>
internal sealed class FieldReader(IQueryCollection query)
{
    private readonly Dictionary<string, string> errors = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> typed = new(StringComparer.Ordinal);

    public IReadOnlyDictionary<string, string> Errors => errors;

    public IReadOnlyDictionary<string, string> Typed => typed;

    /// <summary>Reads a field; the default when it is empty or wrong.</summary>
    /// <param name="parse">Reads its text, or throws an <see cref="ArgumentException"/> that says what is wrong.</param>
    public T? Read<T>(string name, Func<string, T> parse) => ReadAll(name, parse, 1) is [var value, ..] ? value : default;

    /// <summary>Reads a field that may be given several times.</summary>
    public IReadOnlyList<T> ReadAll<T>(string name, Func<string, T> parse, int max)
    {
        var values = new List<T>();
        foreach (var text in query[name])
        {
            if (string.IsNullOrEmpty(text))
                continue;
            if (values.Count == max)
            {
                errors[name] = $"At most {max} can be given.";
                break;
            }
            try
            {
                values.Add(parse(text));
                typed[name] = text;
            }
            catch (ArgumentException e)
            {
                errors[name] = MessageOf(e);
                typed[name] = text;
                break;
            }
        }
        return [.. values.Distinct()];
    }

    /// <summary>The message for readers of the page, who know nothing of the names of parameters.</summary>
    public static string MessageOf(Exception e) =>
        e is ArgumentException { ParamName: { } name } ? e.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal) : e.Message;
}
