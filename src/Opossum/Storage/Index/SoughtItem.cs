namespace Opossum.Storage.Index;

/// <summary>An item of a query, with its names as runs look them up; these are made when the first run is asked.</summary>
internal sealed class SoughtItem(QueryItem item, NameHash hash)
{
    /// <summary>The item.</summary>
    public QueryItem Item => item;

    /// <summary>The item's tags.</summary>
    public RunName[] Tags => field ??= Array.ConvertAll(item.TagSpan.ToArray(), tag => RunName.Of(tag, hash));

    /// <summary>The item's types.</summary>
    public RunName[] Types => field ??= Array.ConvertAll(item.EventTypeSpan.ToArray(), type => RunName.OfType(type, hash));
}
