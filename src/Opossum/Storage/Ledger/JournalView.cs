using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Storage.Ledger;

/// <summary>The journal as it lies, read without the lock: for readers of events that have no event file yet.</summary>
internal sealed class JournalView(StoreFolder folder)
{
    private readonly Lock gate = new();
    private readonly Dictionary<long, byte[]> lines = [];

    /// <summary>Whether the store has a journal.</summary>
    public bool IsThere => folder.FileSystem.GetKind(folder.Layout.Journal) == EntryKind.Folder;

    /// <summary>The positions after the given one whose events are in the journal, read again.</summary>
    public List<long> ListAfter(long position)
    {
        lock (gate)
        {
            Load();
            return [.. lines.Keys.Where(each => each > position)];
        }
    }

    /// <summary>
    /// What is wrong with the journal's files: of each, the path and the position, if any, and what is wrong in words. Others may append meanwhile.
    /// </summary>
    /// <remarks>None on a network file system, where groups are in event files.</remarks>
    /// <param name="eventFiles">The events that have files.</param>
    public IEnumerable<(string Path, long? Position, string Problem)> FindDamage(JournalledEventFiles eventFiles)
    {
        if (folder.Volume.IsNetwork)
            yield break;
        for (var number = 0; number < folder.Layout.JournalFiles.Count; number++)
        {
            var path = folder.Layout.JournalFiles[number];
            using var file = folder.FileSystem.Open(path, FileOpening.Read);
            if (file is null)
                continue;
            foreach (var (position, problem) in FindBadLines(number, file, eventFiles))
            {
                yield return (path, position,
                    string.Create(CultureInfo.InvariantCulture, $"has a bad line for position {position}, which {problem}"));
            }
            var (otherStore, unwritten) = FindDamageOf(number, file, eventFiles);
            if (otherStore is { } other)
            {
                yield return (path, null, $"belongs to the store {other:D}, not to this one");
            }
            else if (unwritten is var (offset, closing))
            {
                yield return (path, closing.First, string.Create(CultureInfo.InvariantCulture,
                    $"is overwritten or edited before byte {offset}: the events of positions {closing.First} to {closing.Last}, which follow there, ")
                    + "have no event files");
            }
        }
    }

    /// <summary>The canonical text of a position's event; null when it is not in the journal.</summary>
    public byte[]? Find(long position)
    {
        lock (gate)
        {
            if (!lines.ContainsKey(position))
                Load();
            return lines.GetValueOrDefault(position);
        }
    }

    // Lines of whole groups that are no events, although the groups' checksums fit.
    private List<(long Position, string Problem)> FindBadLines(int number, IFile file, JournalledEventFiles eventFiles)
    {
        var content = new JournalContent(number, folder.Id ?? Guid.Empty);
        content.Continue(file.Read);
        var bad = new List<(long, string)>();
        foreach (var line in content.Lines)
        {
            var text = new byte[line.Length];
            var read = text.AsSpan(0, file.Read(text, line.Offset));
            // What is being emptied meanwhile has line feeds, which no line has.
            if (!read.Contains(JournalText.Blank) && eventFiles.FindProblem(line.Position, read) is { } problem)
                bad.Add((line.Position, problem));
        }
        return bad;
    }

    // The store whose journal it is, if not this one's, and the first group that is out of reach. A group that was appended while the file was
    // read is not out of reach when it is read again.
    private (Guid? OtherStore, (long Offset, JournalClosing Closing)? Unwritten) FindDamageOf(int number, IFile file, JournalledEventFiles eventFiles)
    {
        (long Offset, JournalClosing Closing)? before = null;
        while (true)
        {
            var content = new JournalContent(number, folder.Id ?? Guid.Empty);
            content.Continue(file.Read);
            if (content.OtherStore is { } other)
                return (other, null);
            var found = new JournalSearch(file.Read).FindUnwritten(content.End, eventFiles);
            if (found is null || found == before)
                return (null, found);
            before = found;
        }
    }

    private void Load()
    {
        lines.Clear();
        for (var number = 0; number < folder.Layout.JournalFiles.Count; number++)
            Load(number, folder.Layout.JournalFiles[number]);
    }

    private void Load(int number, string path)
    {
        using var file = folder.Volume.IsNetwork ? null : folder.FileSystem.Open(path, FileOpening.Read);
        using var uncached = folder.Volume.IsNetwork ? folder.FileSystem.OpenUncached(path) : null;
        var content = new JournalContent(number, folder.Id ?? Guid.Empty);
        content.Continue(Read);
        foreach (var line in content.Lines)
        {
            var text = new byte[line.Length];
            // An event whose text is gone has got its file meanwhile.
            if (Read(text, line.Offset) == text.Length && JournalledEventFiles.IsOf(text, line.Position))
                lines[line.Position] = text;
        }

        int Read(Span<byte> buffer, long offset) => file?.Read(buffer, offset) ?? uncached?.Read(buffer, offset) ?? 0;
    }
}
