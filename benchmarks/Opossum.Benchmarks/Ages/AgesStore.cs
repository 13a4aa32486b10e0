using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Definitions;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Storage.Log;

namespace Opossum.Benchmarks.Ages;

/// <summary>
/// Makes a large store in little time and space: its index files as appends of ten events write them, and of the ledger what is asked for. Reads and
/// conditions use the index files alone, and an opening reads the first event and the last.
/// </summary>
internal static class AgesStore
{
    private const int EventsPerAppend = 10, AppendsPerWrite = 1_000;

    public static void Make(string path, AgesFeed feed, AgesLedger ledger, CancellationToken cancellationToken)
    {
        FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken).GetAwaiter().GetResult().Dispose();
        using var fileSystem = RealFileSystem.Create();
        var folder = new StoreFolder(fileSystem, path);
        folder.Read();
        var layout = folder.Layout;
        using var index = fileSystem.Open(layout.IndexFile, FileOpening.ReadWrite)!;
        var serializer = new EventSerializer(new EventTypeRegistry(), new OpossumOptions().Advanced.MaxPayloadBytes);
        var (lines, encoder) = (new EventLines(), new IndexEncoder());
        var (indexEnd, chain) = ((long)IndexHeader.Length, IndexHeader.FirstChain(IndexHeader.OfIndex(folder.Id!.Value)));
        using var writer = new AgesLedgerWriter(fileSystem, layout, ledger, feed.Events);
        var group = new List<StoredEvent>(EventsPerAppend * AppendsPerWrite);
        for (var number = 0; number < feed.Events;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            group.Clear();
            // The events of an append have one time.
            var time = DateTime.UtcNow.Ticks;
            for (; group.Count < group.Capacity && number < feed.Events; number++)
            {
                var first = number / EventsPerAppend * EventsPerAppend + 1;
                var commit = new CommitRange(first, Math.Min(first + EventsPerAppend - 1, feed.Events), first - 1);
                group.Add(new StoredEvent(serializer.Prepare([feed.Event(number)])[0], number + 1, commit, time));
            }
            lines.Encode(group);
            for (var at = 0; at < group.Count; at++)
                writer.Add(group[at], lines.Written.Slice(lines.StartOf(at), lines.LengthOf(at)));
            chain = encoder.Encode(group, lines, chain, TagRuleSet.None);
            index.Write(encoder.Frames.Written, indexEnd);
            indexEnd += encoder.Frames.Length;
        }
    }
}
