using Opossum.FileSystem;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>A disk or a share that cannot be read for a while: every read says so in the same way, and continues when it can be read again.</summary>
public sealed class UnreachableTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new()
        {
            TakeOverInterval = TimeSpan.FromMilliseconds(10),
            PollInterval = TimeSpan.FromMilliseconds(1),
            MaxRetryAttempts = 0,
            RetryDelay = TimeSpan.Zero
        };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public static TheoryData<string, bool> Reads
    {
        get
        {
            var reads = new TheoryData<string, bool>();
            foreach (var read in (string[])["events", "last", "any", "head", "subscription", "decision"])
            {
                reads.Add(read, false);
                reads.Add(read, true);
            }
            return reads;
        }
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Theory]
    [MemberData(nameof(Reads))]
    public async Task A_read_says_which_file_cannot_be_read_and_why_and_succeeds_later(string read, bool isReadOnly)
    {
        await place.Open().AppendAsync(Many(3, "t", "k:1"), cancellationToken: Cancellation);
        place.CloseStores();
        var store = place.Open(options => options.ReadOnly = isReadOnly);
        place.Disk!.Fail(new Fault { When = operation => operation.Path.StartsWith(place.Layout.Index, StringComparison.Ordinal), Lasts = true });

        var error = await Assert.ThrowsAsync<StoreIOException>(() => ReadAsync(store, read));
        Assert.True(error.IsTransient);
        Assert.Equal(place.Layout.IndexFile, error.Path);
        Assert.StartsWith($"The store in {place.Root} cannot be read. Could not ", error.Message, StringComparison.Ordinal);
        Assert.Contains(": a simulated fault. Check that the disk or the share can be reached", error.Message, StringComparison.Ordinal);
        Assert.IsType<FileSystemException>(error.InnerException);
        place.Disk.Mend();
        Assert.Equal(3, await ReadAsync(store, read));
    }

    [Fact]
    public async Task Also_content_that_cannot_be_read_is_named()
    {
        var store = place.Open();
        await store.AppendAsync(Many(3, "t", "k:1"), cancellationToken: Cancellation);
        place.Disk!.Fail(new Fault { When = operation => operation.Path == place.Layout.Segment(0), Lasts = true });

        Assert.Equal(place.Layout.Segment(0), (await Assert.ThrowsAsync<StoreIOException>(() => store.ReadAllAsync())).Path);
        place.Disk.Mend();
        Assert.Equal(3, (await store.ReadAllAsync()).Count);
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("get")]
    [InlineData("many")]
    [InlineData("all")]
    [InlineData("find")]
    [InlineData("wait")]
    [InlineData("status")]
    public async Task States_that_cannot_be_read_are_named_and_read_later(string read)
    {
        var store = place.Open();
        await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await using var runner = store.StartProjections([new Counts()], quick);
        var counts = store.Projections.Get<Count>();
        await counts.WaitForAsync(1, Cancellation);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Path.StartsWith(place.Layout.Projections, StringComparison.Ordinal),
            Lasts = true
        });

        var error = await Assert.ThrowsAsync<StoreIOException>(() => ReadStatesAsync(counts, read));
        Assert.StartsWith(place.Layout.Projections, error.Path, StringComparison.Ordinal);
        Assert.StartsWith("The states of the projection counts cannot be read. Could not ", error.Message, StringComparison.Ordinal);
        place.Disk.Mend();
        await ReadStatesAsync(counts, read);
        await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await counts.WaitForAsync(2, Cancellation);
        Assert.Equal(2, (await counts.GetAsync("a", Cancellation))?.Number);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task What_is_asked_of_a_projection_and_cannot_be_written_was_not_asked()
    {
        var store = place.Open();
        await using var runner = store.StartProjections([new Counts()], quick);
        await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await store.Projections.Get<Count>().WaitForAsync(1, Cancellation);
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Changes
            && operation.Path.Contains("requests", StringComparison.Ordinal),
            Error = FileError.DiskFull,
            Lasts = true
        });

        var error = await Assert.ThrowsAsync<StoreIOException>(async () => await store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation));
        Assert.StartsWith("No request was sent to the projection counts. Could not ", error.Message, StringComparison.Ordinal);
        place.Disk.Mend();
        await store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task A_handler_that_cannot_read_the_store_is_called_again_and_its_event_is_not_at_fault()
    {
        var store = place.Open();
        await store.AppendAsync([New("t", "k:1"), New("t", "k:1"), New("t", "k:1")], cancellationToken: Cancellation);
        var times = 0;
        await using var runner = store.StartProjections([new Looking(store, e =>
        {
            if (e.Position == 2 && times++ == 0)
                place.Disk!.Fail(new Fault { When = operation => operation.Path.StartsWith(place.Layout.Index, StringComparison.Ordinal) });
        })], quick);

        await store.Projections.Get<Count>().WaitForAsync(3, Cancellation);
        Assert.Equal(3, (await store.Projections.Get<Count>().GetAsync("1", Cancellation))?.Number);
    }

    private static async Task<long> ReadAsync(FileSystemEventStore store, string read)
    {
        switch (read)
        {
            case "events":
                return (await store.ReadAllAsync()).Count;
            case "last":
                return (await store.ReadLastAsync(Query.All, Cancellation))!.Position;
            case "any":
                return await store.ExistsAsync(Query.FromEventTypes("t"), Cancellation) ? 3 : 0;
            case "head":
                return await store.GetHeadAsync(Cancellation);
            case "decision":
                return (await store.BuildDecisionModelAsync(DecisionProjection.Create(0, new Tag("k", "1")).On("t", (count, _) => count + 1),
                    Cancellation)).State;
            default:
                await using (var subscription = store.SubscribeAsync(Query.All, after: 2, Cancellation).GetAsyncEnumerator(Cancellation))
                {
                    Assert.True(await subscription.MoveNextAsync());
                    return subscription.Current.Position;
                }
        }
    }

    private static async Task ReadStatesAsync(IProjectionStore<Count> counts, string read)
    {
        switch (read)
        {
            case "get":
                Assert.NotNull(await counts.GetAsync("a", Cancellation));
                break;
            case "many":
                Assert.Single(await counts.GetManyAsync(["a"], Cancellation));
                break;
            case "all":
                Assert.Single(await counts.ReadAllAsync(Cancellation).ToListAsync());
                break;
            case "find":
                Assert.Single(await counts.FindAsync([new Tag("parity", "odd")], Cancellation).ToListAsync());
                break;
            case "wait":
                await counts.WaitForAsync(1, Cancellation);
                break;
            default:
                Assert.Equal(1, (await counts.GetStatusAsync(Cancellation)).Position);
                break;
        }
    }

    /// <summary>Counts, and looks at the store at each event, as no handler should.</summary>
    private sealed class Looking : Projection<Count>
    {
        public Looking(FileSystemEventStore store, Action<SequencedEvent> before)
            : base("looking") => On("t", e => e.Tags.Select(tag => tag.Value), (count, e) =>
        {
            before(e);
            store.GetHeadAsync().GetAwaiter().GetResult();
            return new Count((count?.Number ?? 0) + 1, count?.First ?? e.Position);
        });
    }
}
