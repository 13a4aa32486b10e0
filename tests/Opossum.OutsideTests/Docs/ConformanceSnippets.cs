using Opossum.Testing;

namespace Opossum.DocTests;

public sealed class ConformanceSnippets : DocumentCode
{
    public static TheoryData<string> Rules => [.. EventStoreConformance.Rules.Select(rule => rule.Id)];

    [Theory, MemberData(nameof(Rules))]
    public async Task The_store_keeps_the_rule(string id)
    {
        await using var store = new ConformanceStore(new AuditedStore(InMemoryEventStore.Open()));
        var rule = EventStoreConformance.Rules.Single(rule => rule.Id == id);
        Assert.SkipUnless(rule.CanCheck(store), "It needs a store that is opened again.");
        await rule.CheckAsync(store);
    }

    [Fact]
    public async Task One_opening()
    {
        await EventStoreConformance.RunAsync(() => new AuditedStore(InMemoryEventStore.Open()));
        Assert.NotEqual(0, AuditedStore.Appends);
    }

    [Fact]
    public async Task Several_openings()
    {
        LongTests.SkipUnlessAsked();
        var left =
            await EventStoreConformance.RunAsync(async () =>
            {
                var folder = Directory.CreateTempSubdirectory().FullName;
                return new ConformanceStore(await OpenAsync(folder)) { OpenAnother = async () => await OpenAsync(folder) };
            });
        Assert.Equal(["power-cut"], left.Select(rule => rule.Id));
    }

    private static Task<FileSystemEventStore> OpenAsync(string folder) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder });

    private sealed class AuditedStore(FileSystemEventStore store) : IEventStore, IAsyncDisposable
    {
        public static int Appends { get; private set; }

        public Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
            CancellationToken cancellationToken = default)
        {
            Appends++;
            return store.AppendAsync(events, condition, cancellationToken);
        }

        public EventStream ReadAsync(Query query, ReadOptions? options = null,
            CancellationToken cancellationToken = default) =>
            store.ReadAsync(query, options, cancellationToken);

        public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) =>
            store.GetHeadAsync(cancellationToken);

        public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0,
            CancellationToken cancellationToken = default) =>
            store.SubscribeAsync(query, after, cancellationToken);

        public ValueTask DisposeAsync() => store.DisposeAsync();
    }
}
