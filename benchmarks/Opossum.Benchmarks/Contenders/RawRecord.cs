namespace Opossum.Benchmarks.Contenders;

/// <summary>What the raw loops write of an event: its JSON, padded with blanks to the length of the event's file in a store.</summary>
internal static class RawRecord
{
    public const int Length = 430;

    public static void Write(NewEvent newEvent, Span<byte> record)
    {
        newEvent.Json.Span.CopyTo(record);
        record[newEvent.Json.Length..].Fill((byte)' ');
    }

    public static ReadOnlySpan<byte> Json(ReadOnlySpan<byte> record) => record.TrimEnd((byte)' ');
}
