// A victim and its checker for a power-cut simulator over a real file system.
//
//   Opossum.PowerCuts append lone|groups|several FOLDER    appends until it is killed; prints a line for each append that has returned
//   Opossum.PowerCuts check FOLDER ACKNOWLEDGED            ends with 0 when all of that is there and the store is in order

using System.Globalization;
using System.Text;
using Opossum;

return args switch
{
    ["append", var how, var folder] => await AppendAsync(how, Path.Combine(folder, "store")),
    ["check", var folder, var acknowledged] => await CheckAsync(Path.Combine(folder, "store"), acknowledged),
    _ => throw new ArgumentException("append lone|groups|several FOLDER, or check FOLDER ACKNOWLEDGED"),
};

static async Task<int> AppendAsync(string how, string folder)
{
    var (appenders, events) = how switch { "lone" => (1, 1), "groups" => (16, 1), "several" => (4, 20), _ => throw new ArgumentException(how) };
    using var output = Console.OpenStandardOutput();
    await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder });
    await Task.WhenAll(Enumerable.Range(0, appenders).Select(async appender =>
    {
        while (true)
        {
            var news = Enumerable.Range(0, events).Select(_ => NewEvent.FromJson("appended", """{"text":"öffentlich"}""", new Tag("appender", $"{appender}"))).ToArray();
            var result = await store.AppendAsync(news);
            // One write a line: a line that waits in a buffer would count as not acknowledged.
            var line = Encoding.ASCII.GetBytes($"{result.FirstPosition} {string.Join(' ', news.Select(each => each.Id))}\n");
            lock (output)
                output.Write(line);
        }
    }));
    return 0;
}

static async Task<int> CheckAsync(string folder, string acknowledged)
{
    var ids = new List<Guid>();
    await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }))
    {
        await foreach (var e in store.ReadAsync(Query.All))
        {
            if (e.Position != ids.Count + 1)
                return Fail($"position {e.Position} follows on {ids.Count}");
            ids.Add(e.Id);
        }
        await store.AppendAsync([NewEvent.FromJson("checked", "1")]);
    }
    foreach (var line in File.ReadLines(acknowledged))
    {
        var words = line.Split(' ');
        var first = int.Parse(words[0], CultureInfo.InvariantCulture);
        for (var at = 1; at < words.Length; at++)
        {
            if (first + at - 2 >= ids.Count || ids[first + at - 2] != Guid.Parse(words[at]))
                return Fail($"the event acknowledged at position {first + at - 1} is lost; the store ends at {ids.Count}");
        }
    }
    var report = await StoreCheck.RunAsync(folder);
    return report.IsClean ? 0 : Fail(report.ToString());
}

static int Fail(string what)
{
    Console.WriteLine(what);
    return 1;
}
