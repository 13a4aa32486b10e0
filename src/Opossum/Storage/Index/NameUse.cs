namespace Opossum.Storage.Index;

/// <summary>How many events have a type, or carry tags of a key.</summary>
/// <remarks>
/// A class, and sorted without LINQ: code for a list of a class is in the framework, and that for a struct is compiled at its first use.
/// </remarks>
internal sealed class NameUse(string name)
{
    public string Name => name;

    public long Events { get; set; }

    /// <summary>Of a key, the number of its tags.</summary>
    public long Tags { get; set; }

    /// <summary>Of a key, the numbers of its tags in the tail.</summary>
    public List<int> TailTags { get; } = [];

    public static NameUse Of(string name, Dictionary<string, NameUse> uses)
    {
        if (!uses.TryGetValue(name, out var use))
            uses.Add(name, use = new NameUse(name));
        return use;
    }

    /// <summary>The most used first; among equals, in the order of their names.</summary>
    public static List<NameUse> MostFirst(Dictionary<string, NameUse> uses)
    {
        var sorted = new List<NameUse>(uses.Values);
        sorted.Sort(static (left, right) =>
            left.Events == right.Events ? string.CompareOrdinal(left.Name, right.Name) : right.Events.CompareTo(left.Events));
        return sorted;
    }
}
