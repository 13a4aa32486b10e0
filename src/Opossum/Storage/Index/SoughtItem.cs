namespace Opossum.Storage.Index;

/// <summary>An item of a query, with its names as runs look them up; these are made when the first run is asked.</summary>
internal sealed class SoughtItem(QueryItem item, NameHash hash)
{
    public QueryItem Item => item;

    public RunName[] Tags => field ??= Array.ConvertAll(item.TagSpan.ToArray(), tag => RunName.Of(tag, hash));

    public RunName[] Types => field ??= Array.ConvertAll(item.EventTypeSpan.ToArray(), type => RunName.OfType(type, hash));
}
