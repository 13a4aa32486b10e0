namespace Opossum.Storage.Reading;

/// <summary>Where the line of an event is, alone or in a group of copies.</summary>
/// <param name="Start">The offset at which the line or the group begins.</param>
/// <param name="Length">The bytes of the line or the group.</param>
/// <param name="Before">The number of lines of the group that come before it.</param>
/// <param name="Count">The number of lines of the group; 1 when it is alone.</param>
internal readonly record struct LinePlace(int Position, long Start, int Length, int Before, int Count)
{
    /// <summary>The offset at which the line or the group ends.</summary>
    public long End => Start + Length;
}
