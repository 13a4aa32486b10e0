using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Index;

/// <summary>How much of what is read is in memory at once.</summary>
public sealed class ReadAheadTests
{
    private const string Root = "/store";
    private const int PayloadBytes = 1024 * 1024;

    private readonly SimulatedDisk disk = new(VolumeKind.Smb, new SimulatedClock());

    [Fact]
    public async Task Large_events_are_not_read_far_ahead()
    {
        LongTests.SkipUnlessAsked();
        using var store = FileSystemEventStore.Open(new OpossumOptions(), disk.Attach(), Root, create: true);
        await store.AppendAsync([.. Enumerable.Range(0, 15).Select(_ => NewEvent.FromJson("t", $"\"{new string('x', PayloadBytes)}\""))]);
        disk.Trace = [];

        await using var events = store.ReadAsync(Query.All).GetAsyncEnumerator();
        await events.MoveNextAsync();

        Assert.InRange(BytesRead(), PayloadBytes, 10 * PayloadBytes);
        var count = 1;
        while (await events.MoveNextAsync())
            count++;
        Assert.Equal(15, count);
    }

    private long BytesRead() => disk.Trace!
        .Where(operation => operation.Kind == OperationKind.Read && operation.Path == new StoreLayout(Root).Segment(0))
        .Sum(operation => operation.Count);
}
