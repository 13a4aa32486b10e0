namespace Opossum.Benchmarks.Contenders;

/// <summary>The events that a read is for: those with a tag, or of a type, or the one at a position. One of them is given.</summary>
internal sealed record Wanted(Tag? Tag = null, string? Type = null, long? At = null)
{
    public static implicit operator Wanted(Tag tag) => new(tag);
}
