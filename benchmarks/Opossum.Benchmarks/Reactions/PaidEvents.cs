using System.Globalization;

namespace Opossum.Benchmarks.Reactions;

/// <summary>The events that reactions handle.</summary>
internal static class PaidEvents
{
    public const string EventType = "paid";
    public const string KeyTag = "order";

    private const int EventsOfAppend = 1_000;

    /// <summary>An event of one of the given number of keys, used in turn.</summary>
    public static NewEvent Event(int number, int keys = 1) =>
        NewEvent.FromJson(EventType, "{}", new Tag(KeyTag, (number % keys).ToString(CultureInfo.InvariantCulture)));

    /// <summary>Opens a store with a number of events.</summary>
    public static async Task<FileSystemEventStore> FillAsync(string path, int events, int keys)
    {
        await using (var filling = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, FlushEventsImmediately = false }))
        {
            for (var from = 0; from < events; from += EventsOfAppend)
                await filling.AppendAsync([.. Enumerable.Range(from, Math.Min(EventsOfAppend, events - from)).Select(each => Event(each, keys))]);
        }
        return await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
    }
}
