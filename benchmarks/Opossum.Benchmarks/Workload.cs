using System.Globalization;
using System.Text;

namespace Opossum.Benchmarks;

/// <summary>The events that all measurements use: about 150 bytes of JSON and two tags, as a shop floor writes them.</summary>
internal static class Workload
{
    public static NewEvent Event(int number) => NewEvent.FromJson(
        "item-moved",
        Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $$"""{"item":"i{{number / 20}}","from":"A{{number % 17}}","to":"B{{number % 31}}","quantity":{{number % 9}},"by":"operator {{number % 40}}","note":"moved along the line"}""")),
        [ItemTag(number / 20), GroupTag(number % 100)]);

    public static Tag ItemTag(int item) => new("item", item.ToString(CultureInfo.InvariantCulture));

    public static Tag GroupTag(int group) => new("group", group.ToString(CultureInfo.InvariantCulture));

    /// <summary>Fills a store quickly, for measurements that follow.</summary>
    public static async Task FillAsync(string path, int events, int batch)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path, FlushEventsImmediately = false });
        for (var start = 0; start < events; start += batch)
            await store.AppendAsync([.. Enumerable.Range(start, Math.Min(batch, events - start)).Select(Event)]);
    }
}
