using Opossum.FileSystem;
using Opossum.Maintenance;

namespace Opossum.Storage.Ledger;

/// <summary>Makes the event files of a sealed folder again, byte for byte, and then removes the sealed file.</summary>
/// <param name="folder">The store's folder.</param>
/// <param name="eventFiles">Its events.</param>
/// <param name="throwIfLost">Called before what another machine could undo or have undone; throws when it may do so.</param>
/// <param name="quarantine">Gets copies of event files with another event than the sealed one; null in a copy of a store.</param>
internal sealed class FolderUnsealing(StoreFolder folder, EventFiles eventFiles, Action throwIfLost, Quarantine? quarantine = null)
{
    private const int BufferLength = 1024 * 1024;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;

    /// <summary>Unseals a folder.</summary>
    /// <param name="proceed">Called between steps with the number of files made; throws to stop the work.</param>
    /// <param name="takesBad">
    /// Whether a bad line becomes a bad event file, for a repair, unless a valid one lies there. If not, nothing is changed when a line is bad or
    /// missing.
    /// </param>
    /// <returns>The number of events, and the bytes of their files; null when the folder is not sealed.</returns>
    /// <exception cref="StoreDamagedException">A line is missing or bad. Nothing was changed.</exception>
    // Invariant: the sealed file counts until it is deleted, and by then its events have durable event files, and a
    // durable segment where there is an index. So it goes last: a power cut leaves both forms, or one.
    public (int Events, long Bytes)? Run(long shard, Action<int> proceed, bool takesBad = false)
    {
        List<long> listed, bad;
        using (var sealedFile = eventFiles.Sealed.LookAgain(shard) ? eventFiles.Sealed.Use(shard) : null)
        {
            if (sealedFile is null)
                return null;
            listed = [.. sealedFile.Positions()];
            bad = listed.FindAll(position => eventFiles.Read(position, out _) is null);
            if (!takesBad && (bad.Count > 0 || listed.Count < layout.CountOf(shard)))
                throw Damaged(shard, listed, bad);
        }
        var whole = listed.FindAll(position => bad.BinarySearch(position) < 0);
        throwIfLost();
        KeepOthers(shard, listed);
        var bytes = whole.Count == 0 ? 0 : new EventFileCopies(eventFiles, folder).Copy(whole, proceed);
        foreach (var position in bad)
            bytes += WriteBad(position);
        if (whole.Count == 0)
            folder.MakeDurable(() => fileSystem.FlushFolder(layout.Events));
        throwIfLost();
        if (fileSystem.GetKind(layout.IndexFile) == EntryKind.File)
            CopyLines(shard);
        throwIfLost();
        fileSystem.Delete(layout.SealedFile(shard));
        folder.MakeDurable(() => fileSystem.FlushFolder(layout.Events));
        eventFiles.Sealed.Note(fileSystem.List(layout.Events));
        return (listed.Count, bytes);
    }

    private void KeepOthers(long shard, List<long> listed)
    {
        if (quarantine is null)
            return;
        var others = eventFiles.Listing.FilesOf(shard).FindAll(position => listed.BinarySearch(position) >= 0 && eventFiles.HasOtherFile(position));
        if (others.Count > 0)
            quarantine.Keep(others, position => eventFiles.ReadFileBytes(position)!, quarantine.UseFolder(), StoreLayout.OtherEnding);
    }

    // A copy: a process that has the sealed file open sees by its name that the folder is not sealed any more.
    private void CopyLines(long shard)
    {
        // A replica of which only sealed folders were copied so far has no such folder.
        fileSystem.CreateFolder(layout.Log);
        using var source = fileSystem.Open(layout.SealedFile(shard), FileOpening.Read);
        using var target = fileSystem.Open(layout.Segment(shard), FileOpening.ReadWriteOrCreate)!;
        var buffer = new byte[BufferLength];
        var length = 0L;
        while (source?.Read(buffer, length) is > 0 and var read)
        {
            target.Write(buffer.AsSpan(0, read), length);
            length += read;
        }
        target.SetLength(length);
        folder.MakeDurable(target, static target => target.Flush());
        folder.MakeDurable(() => fileSystem.FlushFolder(layout.Log));
    }

    private long WriteBad(long position)
    {
        var path = layout.EventFile(position);
        fileSystem.CreateFolder(layout.ShardFolder(layout.ShardOf(position)));
        // It may be the only intact copy.
        if (eventFiles.ReadFile(position, out _) is { } stored)
        {
            DurableFile.TryFlush(fileSystem, path);
            return stored.Content.Bytes;
        }
        var bytes = eventFiles.Sealed.FindLine(position) ?? [];
        using var file = DurableFile.CreateAgain(fileSystem, path);
        file.Write(bytes, 0);
        file.Flush();
        fileSystem.FlushFolder(layout.ShardFolder(layout.ShardOf(position)));
        return bytes.Length;
    }

    private StoreDamagedException Damaged(long shard, List<long> listed, List<long> bad)
    {
        var position = bad.Count > 0 ? bad[0] : FirstMissing(shard, listed);
        var path = layout.SealedFile(shard);
        var problem = eventFiles.Read(position).Problem;
        return new StoreDamagedException(path, position,
            $"{path} was not unsealed: it {problem}. Nothing was changed. {StoreCheck.InWords} names the remedy.");
    }

    private static long FirstMissing(long shard, List<long> listed)
    {
        var position = StoreLayout.FirstOf(shard);
        while (listed.BinarySearch(position) >= 0)
            position++;
        return position;
    }
}
