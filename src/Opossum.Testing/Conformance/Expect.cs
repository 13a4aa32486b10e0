using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Opossum.Testing.Conformance;

/// <summary>What a rule expects of a store.</summary>
internal static class Expect
{
    private const int ShownMax = 20;

    public static void Equal<T>(T expected, T actual, [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new TestFailedException($"{what}\nexpected: {Text(expected)}\nactual:   {Text(actual)}");
    }

    public static void Same<T>(IEnumerable<T> expected, IEnumerable<T> actual,
        [CallerArgumentExpression(nameof(actual))] string what = "")
    {
        List<T> wanted = [.. expected], found = [.. actual];
        if (!wanted.SequenceEqual(found))
            throw new TestFailedException($"{what}\nexpected: {Text(wanted)}\nactual:   {Text(found)}");
    }

    public static void True(bool condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        Equal(true, condition, what);

    public static async Task<TException> ThrowsAsync<TException>(Func<Task> call,
        [CallerArgumentExpression(nameof(call))] string what = "")
        where TException : Exception
    {
        try
        {
            await call();
        }
        catch (TException e)
        {
            return e;
        }
        catch (Exception e)
        {
            throw new TestFailedException($"{what}\nexpected: {typeof(TException).Name}\nactual:   {e}", e);
        }
        throw new TestFailedException($"{what}\nexpected: {typeof(TException).Name}\nactual:   no exception");
    }

    private static string Text(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IEnumerable many => Text(many.Cast<object?>().ToList()),
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string Text(List<object?> values)
    {
        var rest = values.Count > ShownMax ? $", and {values.Count - ShownMax} more" : "";
        return $"[{string.Join(", ", values.Take(ShownMax).Select(Text))}{rest}]";
    }
}
