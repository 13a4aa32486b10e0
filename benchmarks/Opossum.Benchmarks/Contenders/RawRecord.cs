namespace Opossum.Benchmarks.Contenders;

/// <summary>What the raw loops write of an event: its JSON, padded with blanks to about the length of the event's file in a store.</summary>
internal static class RawRecord
{
    public const int Length = 430;
    private const int Envelope = 300;

    /// <summary>The length for an event of any size; <see cref="Length"/> for a usual one.</summary>
    public static int LengthOf(NewEvent newEvent) => Math.Max(Length, newEvent.Json.Length + Envelope);

    public static void Write(NewEvent newEvent, Span<byte> record)
    {
        newEvent.Json.Span.CopyTo(record);
        record[newEvent.Json.Length..].Fill((byte)' ');
    }

    public static ReadOnlySpan<byte> Json(ReadOnlySpan<byte> record) => record.TrimEnd((byte)' ');
}
