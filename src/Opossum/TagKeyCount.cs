namespace Opossum;

/// <summary>How much a tag key is used in a store.</summary>
/// <param name="Key">The key.</param>
/// <param name="Events">How many events carry at least one tag with it.</param>
/// <param name="Values">How many distinct values it has.</param>
public readonly record struct TagKeyCount(string Key, long Events, long Values);
