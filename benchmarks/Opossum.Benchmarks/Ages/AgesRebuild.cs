using System.Diagnostics;
using Opossum.Benchmarks.Measuring;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;

namespace Opossum.Benchmarks.Ages;

/// <summary>Opens a store whose index was deleted, in turns with reading the same event files by system calls alone.</summary>
internal sealed class AgesRebuild(WorkFolder folder, bool isShort, CancellationToken cancellationToken)
{
    private const int BufferLength = 4096;

    private readonly int events = isShort ? 2_000 : 100_000;

    /// <summary>The number of events, and the time of one in microseconds.</summary>
    public async Task<(int Events, AgesPair Times)> RunAsync()
    {
        var path = folder.Below("rebuild");
        AgesStore.Make(path, new AgesFeed(events), AgesLedger.EventFiles, cancellationToken);
        folder.Settle();
        var (rebuilds, reads) = (new List<double>(), new List<double>());
        for (var round = 0; round <= (isShort ? 1 : 5); round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var read = TimeReads(new StoreLayout(path));
            Directory.Delete(new StoreLayout(path).Index, recursive: true);
            folder.Settle();
            var started = Stopwatch.GetTimestamp();
            await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken);
            var rebuild = Stopwatch.GetElapsedTime(started);
            if (await store.GetHeadAsync(cancellationToken) != events)
                throw new CannotMeasureException("The index that was made again lacks events.");
            if (round == 0)
                continue;
            rebuilds.Add(rebuild.TotalMicroseconds / events);
            reads.Add(read.TotalMicroseconds / events);
        }
        return (events, new AgesPair(new Distribution(rebuilds), new Distribution(reads)));
    }

    // By as many threads as the store uses.
    private TimeSpan TimeReads(StoreLayout layout)
    {
        using var fileSystem = RealFileSystem.Create();
        var started = Stopwatch.GetTimestamp();
        fileSystem.ForEach(events, at =>
        {
            using var file = fileSystem.Open(layout.EventFile(at + 1), FileOpening.Read)!;
            Span<byte> buffer = stackalloc byte[BufferLength];
            if (file.Read(buffer, 0) == 0)
                throw new CannotMeasureException("An event file is empty.");
        });
        return Stopwatch.GetElapsedTime(started);
    }
}
