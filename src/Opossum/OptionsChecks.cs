using System.Globalization;
using System.Runtime.CompilerServices;

namespace Opossum;

/// <summary>Collects what is wrong with options, a sentence each, so that one exception names all of it.</summary>
/// <param name="type">The name of the options' class.</param>
internal sealed class OptionsChecks(string type)
{
    public List<string> Failures { get; } = [];

    /// <summary>An option's value has to lie between two others; null passes.</summary>
    public void Range<T>(T? value, T least, T most, [CallerArgumentExpression(nameof(value))] string option = "")
        where T : struct, IComparable<T>
    {
        if (value is { } given && (given.CompareTo(least) < 0 || given.CompareTo(most) > 0))
            Require(false, string.Create(CultureInfo.InvariantCulture, $"{option} must lie between {least} and {most}, but is {given}."));
    }

    /// <summary>A path has to name a file or a folder; null passes.</summary>
    /// <param name="what">What it names, such as "a folder".</param>
    public void Path(string? path, string what, [CallerArgumentExpression(nameof(path))] string option = "")
    {
        Require(path is null || !string.IsNullOrWhiteSpace(path), $"{option} must name {what}, but is empty.");
        Require(path?.Contains('\0', StringComparison.Ordinal) != true, $"{option} must not hold the character U+0000, but is "
            + $"{NameRules.Quote(path?.Replace("\0", "\\0", StringComparison.Ordinal) ?? "")}.");
    }

    /// <summary>What has to be true, or a sentence that begins with the option's name.</summary>
    public void Require(bool isTrue, string otherwise)
    {
        if (!isTrue)
            Failures.Add($"{type}.{otherwise}");
    }

    /// <summary>Throws if anything is wrong.</summary>
    /// <exception cref="ArgumentException">One or more options are not allowed; the message names each.</exception>
    public void ThrowIfAny(string parameter)
    {
        if (Failures.Count > 0)
            throw new ArgumentException(string.Join(' ', Failures), parameter);
    }
}
