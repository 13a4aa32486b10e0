using Opossum.FileSystem;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Which bytes of sealed files a read takes.</summary>
public sealed class SealedReadTests
{
    private static readonly StoreLayout layout = SealedStores.Layout;
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = SealedStores.Positions };
    private readonly History history = new();

    [Fact]
    public void Where_reads_are_slow_lines_are_prefetched()
    {
        var store = SteppedStore.Open(disk.Attach());
        for (var folder = 0; folder < 4; folder++)
            store.Append(history.New(SealedStores.Positions));
        store.Close();
        SealedStores.Seal(disk.Attach());
        var reading = SteppedStore.Open(disk.Attach());
        Assert.Equal(reading.Head, reading.ReadAll().Count);
        disk.OperationTime = TimeSpan.FromMilliseconds(1);
        disk.Trace = [];

        Assert.Equal(reading.Head, reading.ReadAll().Count);

        var sealedFiles = disk.Trace.FindAll(static each =>
            FilePath.FolderOf(each.Path) == layout.Events && each.Kind is OperationKind.Read or OperationKind.Prefetch);
        var (prefetched, read) = (Ranges(OperationKind.Prefetch), Ranges(OperationKind.Read));
        Assert.True(read.Count >= 4, $"{read.Count} ranges were read.");
        Assert.Equal(read[1..], prefetched);
        // The first read shows that reads are slow.
        Assert.Equal(prefetched.Count, sealedFiles.FindLastIndex(static each => each.Kind == OperationKind.Prefetch));

        List<(string, long, long)> Ranges(OperationKind kind) =>
            [.. sealedFiles.Where(each => each.Kind == kind).Select(static each => (each.Path, each.Offset, each.Count))];
    }
}
