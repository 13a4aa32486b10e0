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
    public List<long> ListBehind(long position)
    {
        lock (gate)
        {
            Load();
            return [.. lines.Keys.Where(each => each > position)];
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
