namespace OrderDesk;

/// <summary>A message.</summary>
/// <param name="Id">The same whenever the same message is meant.</param>
/// <param name="Type">What it is about.</param>
/// <param name="Json">The content.</param>
internal sealed record Message(string Id, string Type, ReadOnlyMemory<byte> Json);
