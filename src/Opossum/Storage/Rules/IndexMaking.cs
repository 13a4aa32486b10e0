using Opossum.FileSystem;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Rules;

/// <summary>Makes another index file of the events, with the tags of other rules, beside the one in use. It needs no lock.</summary>
internal sealed class IndexMaking : IDisposable
{
    private const int LinesAtOnce = 100;
    // A few microseconds each. Those who append meanwhile would wait for a processor until this thread's slice of it ends, which takes milliseconds.
    private const int LinesAStretch = 16;
    private const int BytesAtOnce = 1024 * 1024;

    private readonly StoreFolder folder;
    private readonly EventFiles eventFiles;
    private readonly TagRuleSet rules;
    // Those that the index in use has keep no others out, and can be removed, although a member was encrypted since.
    private readonly TagRuleSet added;
    private readonly IProgress<StoreProgress>? progress;
    private readonly IFile file;
    private readonly EventLines lines = new();
    private readonly IndexEncoder encoder = new();
    private readonly List<StoredEvent> commits = [];
    private readonly IndexFrame frame = new();
    private bool isUsed;
    private bool mayYield;

    public IndexMaking(StoreFolder folder, EventIndex index, EventFiles eventFiles, TagRuleSet rules, IProgress<StoreProgress>? progress)
    {
        (this.folder, this.eventFiles, this.rules, this.progress) = (folder, eventFiles, rules, progress);
        Basis = index.FileInUse;
        added = TagRuleSet.Of(rules.Rules.Except(index.TakeView().Rules.Rules));
        file = DurableFile.CreateAgain(folder.FileSystem, Path);
        var header = IndexHeader.OfIndex(folder.Id!.Value, rules);
        file.Write(header, 0);
        (Tail, End) = (new IndexTail(0, 0, IndexHeader.FirstChain(header)), header.Length);
    }

    /// <summary>Stands for the index file that was in use at the beginning.</summary>
    public object? Basis { get; }

    /// <summary>What the file has, up to <see cref="End"/>: nobody has to read it back.</summary>
    public IndexTail Tail { get; }

    /// <summary>The offset at which the file ends.</summary>
    public long End { get; private set; }

    /// <summary>The last position that the file has.</summary>
    public long Head => Tail.Head;

    private string Path => folder.Layout.IndexFileStaging;

    /// <summary>Adds the events up to a position at which an append ends.</summary>
    /// <param name="view">The index and the log with these events.</param>
    /// <param name="cancellationToken">Stops the work.</param>
    /// <param name="isUrgent">Whether others wait for it: then it does not give up the processor in between.</param>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    /// <exception cref="StoreMaintenanceException">
    /// The member of a rule that the index in use lacks is encrypted, or the rules give an append too many tags.
    /// </exception>
    public void Add(IndexView view, long head, CancellationToken cancellationToken, bool isUrgent = false)
    {
        mayYield = !isUrgent;
        for (var first = Head + 1; first <= head;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var last = LastOf(view, first, head);
            Add(view, first, last);
            first = last + 1;
            progress?.Report(new StoreProgress { Operation = StoreOperation.IndexRebuild, Done = last, Total = head });
        }
        Write();
    }

    /// <summary>Makes what was added durable.</summary>
    public void Flush() => file.Flush();

    /// <summary>Makes the file durable, so that it can take the name of the index.</summary>
    public string Finish()
    {
        Flush();
        isUsed = true;
        return Path;
    }

    public void Dispose()
    {
        file.Dispose();
        if (!isUsed)
            folder.FileSystem.Delete(Path);
    }

    // Of one folder, and not too long.
    private long LastOf(IndexView view, long first, long head)
    {
        var last = Math.Min(Math.Min(folder.Layout.LastOf(folder.Layout.ShardOf(first)), head), first + LinesAtOnce - 1);
        while (last > first && view.Contents.LineEnd(last) - view.Contents.LineStart(first) > BytesAtOnce)
            last = first + (last - first) / 2;
        return last;
    }

    private void Add(IndexView view, long first, long last)
    {
        ReadOnlySpan<byte> text = view.Segments?.ReadLines(view.Contents, first, last);
        for (var position = first; position <= last; position++)
        {
            var length = text.IndexOf(EventLines.LineEnd);
            var stored = length < 0 ? null : EventLine.ReadStored(text[..length], position);
            text = length < 0 ? default : text[(length + 1)..];
            stored ??= eventFiles.ReadOrThrow(position, "The tag rules were not changed");
            ThrowIfEncrypted(stored);
            commits.Add(stored);
            if (mayYield && position % LinesAStretch == 0)
                Thread.Yield();
            if (position == stored.Commit.Last && commits.Count >= LinesAtOnce)
                Write();
        }
    }

    private void Write()
    {
        if (commits.Count == 0)
            return;
        lines.Encode(commits);
        try
        {
            encoder.Encode(commits, lines, Tail.Chain, rules);
        }
        catch (FileSystemException e)
        {
            throw new StoreMaintenanceException(folder.Root, $"The tag rules were not changed. {e.Message} Choose another member.", e);
        }
        file.Write(encoder.Frames.Written, End);
        End += encoder.Frames.Length;
        if (Tail.Add(encoder.Frames.Bytes, encoder.Frames.Length, frame) != encoder.Frames.Length)
            throw new InvalidOperationException($"The frames after position {Head} do not follow those before.");
        commits.Clear();
        encoder.Trim();
        lines.Trim();
        if (mayYield)
            Thread.Yield();
    }

    private void ThrowIfEncrypted(StoredEvent stored)
    {
        if (added.FindEncrypted(stored.Content) is { } rule)
        {
            throw new StoreMaintenanceException(eventFiles.PathOf(stored.Position),
                $"The tag rules were not changed: {NameRules.Quote(rule.Member)} is personal data, encrypted in the event at position "
                    + $"{stored.Position}, and no tag is made of it: the index would keep it in plain. Choose another member, or append the "
                    + "tag as Tag.Pseudonym.");
        }
    }
}
