namespace Opossum;

/// <summary>The use of one tag key in a store.</summary>
/// <param name="Key">The key.</param>
/// <param name="Events">The number of events that carry at least one tag with this key.</param>
/// <param name="Values">The number of distinct values of this key.</param>
public readonly record struct TagKeyCount(string Key, long Events, long Values);
