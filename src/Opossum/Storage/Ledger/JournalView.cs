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
        {
            var bytes = ReadFile(folder.Layout.JournalFiles[number]);
            var content = new JournalContent(number, folder.Id ?? Guid.Empty);
            content.Continue((buffer, offset) =>
            {
                var rest = bytes.AsSpan((int)Math.Min(offset, bytes.Length));
                rest = rest[..Math.Min(rest.Length, buffer.Length)];
                rest.CopyTo(buffer);
                return rest.Length;
            });
            foreach (var line in content.Lines)
                lines[line.Position] = bytes.AsSpan((int)line.Offset, line.Length).ToArray();
        }
    }

    private byte[] ReadFile(string path)
    {
        var (text, buffer) = (new MemoryStream(), new byte[256 * 1024]);
        using var file = folder.Volume.IsNetwork ? null : folder.FileSystem.Open(path, FileOpening.Read);
        using var uncached = folder.Volume.IsNetwork ? folder.FileSystem.OpenUncached(path) : null;
        for (var at = 0L; (file?.Read(buffer, at) ?? uncached?.Read(buffer, at) ?? 0) is var got and > 0; at += got)
            text.Write(buffer.AsSpan(0, got));
        return text.ToArray();
    }
}
