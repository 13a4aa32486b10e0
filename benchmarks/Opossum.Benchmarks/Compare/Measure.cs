using System.Globalization;

namespace Opossum.Benchmarks.Compare;

/// <summary>The names of what is measured, as tables show them and targets ask for them.</summary>
internal static class Measure
{
    public const string Lone = "lone append";
    public const string FewWriters = "8 concurrent";
    public const string ManyWriters = "64 concurrent";
    public const string ManyWritersUnderConditions = "64 concurrent, conditions on distinct tags";
    public const string Batch = "batch of 100";
    public const string NoFlush = "lone append, no flush";
    public const string ShortQuery = "10 events by tag, bytes";
    public const string ShortQueryObjects = "10 events by tag, objects";
    public const string LongQuery = "1,000 events by tag, bytes";
    public const string FirstLongQuery = "1,000 events by tag, bytes, first query after opening";
    public const string LongQueryObjects = "1,000 events by tag, objects";
    public const string Scan = "full scan, bytes";
    public const string ScanObjects = "full scan, objects";
    public const string ScanBackwards = "full scan backwards, bytes";
    public const string Rebuild = "rebuild of the index from event files";
    public const string BytesPerEvent = "memory of an open store, bytes an event, beside unique tag texts";
    public const string BytesPerEventRead = "allocated, bytes an event read";
    public const string BytesPerEventAppended = "allocated, bytes an event appended";

    public static string ConditionalAppend(int events) => string.Create(CultureInfo.InvariantCulture, $"conditional lone append, {events:N0} events");

    public static string Open(int events) => string.Create(CultureInfo.InvariantCulture, $"open, clean, {events:N0} events");

    public static string AppendWithTags(int tags) => string.Create(CultureInfo.InvariantCulture, $"lone append, {tags:N0} distinct tags");
}
