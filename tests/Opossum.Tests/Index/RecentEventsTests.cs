using Opossum.FileSystem.Simulated;
using Opossum.Storage;

namespace Opossum.Tests.Index;

/// <summary>Events that lie apart are kept in memory when they have been read.</summary>
public sealed class RecentEventsTests
{
    private const string Root = "/store";

    private readonly SimulatedDisk disk = new(clock: new SimulatedClock());

    [Fact]
    public async Task Events_that_lie_apart_are_read_from_the_disk_once()
    {
        using var store = Open();
        await FillAsync(store);
        var first = await store.ReadAllAsync(Events.Tagged("wanted:yes"));

        disk.Trace = [];
        var again = await store.ReadAllAsync(Events.Tagged("wanted:yes"));

        Assert.DoesNotContain(disk.Trace, operation => operation.Kind == OperationKind.Read && operation.Path == new StoreLayout(Root).PackedFile);
        Assert.Equal(first.ConvertAll(Text), again.ConvertAll(Text));
    }

    [Fact]
    public async Task Each_reader_gets_data_of_its_own()
    {
        var options = new OpossumOptions();
        options.EventTypes.Add<Basket>("basket");
        using var store = FileSystemEventStore.Open(options, disk.Attach(), Root, create: true);
        await store.AppendAsync(new NewEvent(new Basket { Items = { "bread" } }));

        for (var reader = 0; reader < 3; reader++)
        {
            var basket = (Basket)(await store.ReadAllAsync())[0].Data!;
            Assert.Equal(["bread"], basket.Items);
            basket.Items.Add("butter");
        }
    }

    private static async Task FillAsync(FileSystemEventStore store)
    {
        for (var at = 0; at < 5; at++)
        {
            await store.AppendAsync(Events.New("t", "wanted:yes", $"number:{at}") with { Metadata = new Dictionary<string, string> { ["at"] = $"{at}" } });
            await store.AppendAsync(NewEvent.FromJson("t", $"\"{new string('x', 8_000)}\""));
        }
    }

    private FileSystemEventStore Open() => FileSystemEventStore.Open(new OpossumOptions(), disk.Attach(), Root, create: true);

    private static string Text(SequencedEvent e) => $"{e.Position} {e.Type} {e.Version} {e.Id} {e.Timestamp:O} {string.Join(',', e.Tags)} {e.Json.Length} {string.Join(',', e.Metadata)}";

    public sealed class Basket
    {
        public List<string> Items { get; init; } = [];
    }
}
