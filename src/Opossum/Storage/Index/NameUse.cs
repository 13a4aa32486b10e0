namespace Opossum.Storage.Index;

/// <summary>How often events carry a type, or tags of a key.</summary>
/// <remarks>
/// A class, and sorted without LINQ: code for a list of a class is in the framework, and that for a struct is compiled at its first use.
/// </remarks>
internal sealed class NameUse(string name)
{
    public string Name => name;

    /// <summary>The number of times. An event with two tags of the key counts twice at first.</summary>
    public long Uses { get; set; }

    /// <summary>The numbers of the key's tags.</summary>
    public List<int> Tags { get; } = [];

    /// <summary>The most used first; among equals, in the order of their names.</summary>
    public static int MostFirst(NameUse left, NameUse right) =>
        left.Uses == right.Uses ? string.CompareOrdinal(left.Name, right.Name) : right.Uses.CompareTo(left.Uses);
}
