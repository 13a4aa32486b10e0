using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The events in the ledger, each in its event file, in the sealed file of its folder, or still in the journal: lists, reads and flushes them.
/// </summary>
internal sealed class EventFiles(StoreFolder folder) : IDisposable
{
    // A listing is repeated if folders were sealed meanwhile.
    private const int ListingsMax = 100;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly FileBytes fileBytes = new();
    private readonly JournalView journal = new(folder);
    private EventFileMending? mending;
    private EventGroups? groups;

    /// <summary>Makes the files of all positions in the range durable.</summary>
    /// <exception cref="DiskStateUnknownException">They could not be made durable.</exception>
    /// <exception cref="FileSystemException">A file could not be opened. Nothing is lost: the flush can be repeated for all files.</exception>
    public void Flush(long first, long last)
    {
        if (volume.CanFlushWhole)
        {
            folder.MakeDurable(() => fileSystem.FlushWhole(layout.Root));
            return;
        }
        FlushEach(first, last);
        folder.MakeDurable(() =>
        {
            FlushNames(first, last);
            fileSystem.FlushFolder(layout.Events);
        });
    }

    /// <summary>Flushes the folders of the range, so that creations and removals in it are durable.</summary>
    public void FlushNames(long first, long last)
    {
        for (var shard = StoreLayout.ShardOf(first); shard <= last; shard += StoreLayout.ShardPositions)
        {
            // What is sealed is durable.
            if (!Sealed.IsKnown(shard))
                fileSystem.FlushFolder(layout.ShardFolder(shard));
        }
    }

    /// <summary>Rewrites and restores existing files.</summary>
    public EventFileMending Mending => mending ??= new EventFileMending(folder, this);

    /// <summary>The groups whose events have no files of their own yet.</summary>
    public EventGroups Groups => groups ??= new EventGroups(folder, this);

    /// <summary>The sealed files.</summary>
    public SealedFiles Sealed { get; } = new(folder);

    /// <summary>The path of the file that has a position's event, for messages.</summary>
    public string PathOf(long position) =>
        Sealed.IsKnown(StoreLayout.ShardOf(position)) ? layout.SealedFile(StoreLayout.ShardOf(position)) : layout.EventFile(position);

    /// <summary>Reads and validates the file of a position, or its line in a sealed file, or in the journal while it has no file.</summary>
    /// <param name="position">The position.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with its path; null when it is valid.</param>
    public StoredEvent? Read(long position, out string? problem)
    {
        if (Sealed.HasAny && TryReadSealed(position, out var stored, out problem))
            return stored;
        var path = layout.EventFile(position);
        stored = Read(path, position, out problem);
        if (stored is not null)
            return stored;
        // It may have been sealed meanwhile.
        if (Sealed.LookAgain(StoreLayout.ShardOf(position)) && TryReadSealed(position, out stored, out var sealedProblem))
        {
            problem = sealedProblem;
            return stored;
        }
        if (FindLine(position) is { } line)
            return Read(line, position, out problem);
        // It may have got its file meanwhile.
        if (ReadAgain(position) is { } bytes)
            return Read(bytes, position, out problem);
        return null;
    }

    /// <summary>The same for a copy of the file at another path.</summary>
    public StoredEvent? Read(string path, long position, out string? problem)
    {
        try
        {
            using var file = fileSystem.Open(path, FileOpening.Read);
            if (file is null)
                problem = "is missing";
            else if (fileBytes.Read(file, out problem) is { } bytes)
                return Read(OwnText(bytes), position, out problem);
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            problem = e.OtherKind ?? "is not a file";
        }
        return null;
    }

    /// <summary>The same for the bytes of such a file.</summary>
    public StoredEvent? Read(ReadOnlySpan<byte> bytes, long position, out string? problem) =>
        EventFile.Read(bytes, position, out problem, folder.IsOfNewerMinor);

    /// <summary>Reads and validates the files of many positions.</summary>
    public EventFileBatches Batches { get; } = new(folder.FileSystem);

    /// <summary>Reads and validates the file of a position.</summary>
    public EventFileReading Read(long position) => new(Read(position, out var problem), problem);

    /// <summary>The same for callers that continue past unreadable files: a failed read is reported as the file's problem.</summary>
    public EventFileReading ReadOrProblem(long position)
    {
        try
        {
            return Read(position);
        }
        catch (FileSystemException e)
        {
            return new(null, $"cannot be read: {e.Message}",
                IsOutOfReach: e.Error is FileError.AccessDenied or FileError.InUse or FileError.TooManyOpenFiles);
        }
    }

    /// <summary>Finds the lowest of ascending positions whose file was edited (see <see cref="EventFile.WasEdited"/>); null when none was.</summary>
    public long? FirstEdited(IEnumerable<long> positions)
    {
        foreach (var position in positions)
        {
            if (IsEdited(position))
                return position;
        }
        return null;
    }

    /// <summary>The error for an edited file whose original content exists nowhere else.</summary>
    public StoreDamagedException Edited(long position)
    {
        var path = layout.EventFile(position);
        Read(position, out var problem);
        return new StoreDamagedException(path, position,
            $"The store does not open: {path} {problem}. It was edited (no crash leaves such a file), and the index has no copy of the original. "
                + "Nothing was changed. "
            + $"Undo the edit, restore the file from a backup with {nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromFolderAsync)}, or keep "
            + $"the edit with {nameof(StoreRepair)}.{nameof(StoreRepair.AcceptEditedFileAsync)}.");
    }

    /// <summary>Whether events are in the journal.</summary>
    public bool HasJournal => HasJournalFolder && FirstInJournal() is not null;

    /// <summary>Whether the store has a journal, used or not.</summary>
    public bool HasJournalFolder => journal.IsThere;

    /// <summary>The first position whose event is in the journal; null when it is empty.</summary>
    public long? FirstInJournal() => journal.ListBehind(0) is { Count: > 0 } positions ? positions.Min() : null;

    /// <summary>The position after which events may be only in the journal, as the lock file states it; null when no event is.</summary>
    public long? ReadJournaledAfter() => StoreLock.ReadJournaledAfter(fileSystem, layout.LockFile);

    /// <summary>Whether the name of a position's file is taken.</summary>
    public bool HasName(long position) => fileSystem.GetKind(layout.EventFile(position)) != EntryKind.Missing;

    /// <summary>The path of a folder of event files, for messages.</summary>
    public string FolderOf(long shard) => layout.ShardFolder(shard);

    /// <summary>Whether a folder was sealed: then none of its positions is free.</summary>
    public bool IsSealed(long shard) => Sealed.LookAgain(shard);

    /// <summary>Whether the file of a position exists, read past every cache.</summary>
    public bool IsOnServer(long position) =>
        fileSystem.ReadPastCache(layout.EventFile(position), new byte[1], 0) is not null || Groups.Find(position) is not null;

    /// <summary>The checksum that the file of a position states; null when it is missing or states none.</summary>
    public uint? StatedChecksum(long position) => ReadBytes(position) is { } bytes ? ChecksumTrailer.Stated(bytes) : null;

    /// <summary>
    /// The bytes of a position's file, also of one that is still to be written; null when it is missing, or cannot be an event file.
    /// </summary>
    public byte[]? ReadBytes(long position)
    {
        if (Sealed.HasAny && ReadSealedBytes(position) is { } there)
            return there;
        var path = layout.EventFile(position);
        var bytes = ReadBytes(path);
        if (bytes is not null)
            return bytes;
        if (Sealed.LookAgain(StoreLayout.ShardOf(position)) && ReadSealedBytes(position) is { } found)
            return found;
        return FindLine(position) is { } line ? EventFile.TextOfLine(line) : ReadAgain(position);
    }

    /// <summary>The canonical text of a position's event; null when its file is not valid.</summary>
    public byte[]? ReadLine(long position, out string? problem)
    {
        problem = "is missing";
        return ReadBytes(position) is { } bytes && Read(bytes, position, out problem) is not null ? CanonicalText.Of(bytes) : null;
    }

    /// <summary>The same for any file.</summary>
    public byte[]? ReadBytes(string path) => ReadRaw(path) is { } bytes ? OwnText(bytes) : null;

    /// <summary>The same, also with the events of others of a group.</summary>
    public byte[]? ReadRaw(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is null ? null : fileBytes.Read(file, out _);
    }

    /// <summary>
    /// Lists the positions after the given one that have a file, or a line in a sealed file, the journal or a group, ascending. Skips names that are
    /// not those of event files.
    /// </summary>
    public List<long> ListBehind(long position) => ListBehind(position, out _, skipsUnreadable: true);

    /// <summary>The same; also finds the groups whose events have no files of their own.</summary>
    /// <param name="position">The position.</param>
    /// <param name="groups">The groups.</param>
    /// <param name="skipsUnreadable">Whether a file that cannot be read counts as one without a group.</param>
    public List<long> ListBehind(long position, out List<EventGroup> groups, bool skipsUnreadable = false)
    {
        // Order matters: before the files. An event gets its file first and leaves the journal then.
        var journaled = journal.IsThere ? journal.ListBehind(position) : [];
        var found = ListFilesBehind(position);
        groups = FindGroups(found, position, skipsUnreadable);
        var withoutFiles = journaled.Concat(groups.SelectMany(each => each.Positions().Where(at => at > position))).ToList();
        return withoutFiles.Count == 0 ? found : [.. found.Union(withoutFiles).Order()];
    }

    /// <summary>The last position in the newest folder of event files; 0 when there is none. Also finds the groups there.</summary>
    public long ListNewest(out List<EventGroup> groups)
    {
        groups = [];
        var shards = fileSystem.List(layout.Events).FindAll(static name => StoreLayout.TryParseShard(name, out _));
        if (shards.Max(StringComparer.Ordinal) is not { } newest || !StoreLayout.TryParseShard(newest, out var shard))
            return 0;
        return ListBehind(StoreLayout.FirstOf(shard) - 1, out groups) is [.., var last] ? last : 0;
    }

    /// <summary>The positions that have an event file in a folder, ascending; none when the folder does not exist.</summary>
    public List<long> ListFiles(long shard)
    {
        var path = layout.ShardFolder(shard);
        var found = new List<long>();
        if (fileSystem.GetKind(path) != EntryKind.Folder)
            return found;
        fileSystem.ThrowIfLink(path);
        try
        {
            foreach (var name in fileSystem.List(path))
            {
                if (StoreLayout.TryParseEventFileName(name, out var each) && StoreLayout.ShardOf(each) == shard)
                    found.Add(each);
            }
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            // It has just been sealed.
        }
        found.Sort();
        return found;
    }

    public void Dispose() => Sealed.Dispose();

    // Folders that are sealed or unsealed meanwhile are listed again: some of the files would be missing. The newest one never is.
    private List<long> ListFilesBehind(long position)
    {
        var names = fileSystem.List(layout.Events);
        for (var listings = 1; ; listings++)
        {
            Sealed.Note(names);
            var found = ListFilesBehind(position, names, out var folders);
            if (folders <= 1)
                return found;
            var again = fileSystem.List(layout.Events);
            if (listings == ListingsMax || again.Order(StringComparer.Ordinal).SequenceEqual(names.Order(StringComparer.Ordinal)))
                return found;
            names = again;
        }
    }

    private List<long> ListFilesBehind(long position, List<string> names, out int folders)
    {
        var (shards, firstShard) = (new SortedSet<long>(), StoreLayout.ShardOf(position + 1));
        foreach (var name in names)
        {
            if ((StoreLayout.TryParseShard(name, out var shard) || StoreLayout.TryParseSealedFileName(name, out shard)) && shard >= firstShard)
                shards.Add(shard);
        }
        folders = shards.Count;
        var found = new List<long>();
        foreach (var shard in shards)
        {
            using var sealedFile = Sealed.Use(shard);
            IEnumerable<long> positions = sealedFile is null ? ListFiles(shard) : sealedFile.Positions();
            found.AddRange(positions.Where(each => each > position));
        }
        return found;
    }

    // A group's events have no files where a position is missing.
    private List<EventGroup> FindGroups(List<long> found, long position, bool skipsUnreadable)
    {
        var groups = new List<EventGroup>();
        var expected = position + 1;
        foreach (var each in found)
        {
            if (each > expected)
                AddGroup(expected);
            expected = each + 1;
        }
        if (found.Count > 0)
            AddGroup(expected);
        return groups;

        void AddGroup(long missing)
        {
            try
            {
                if (Groups.Find(missing) is { } group)
                    groups.Add(group);
            }
            catch (FileSystemException) when (skipsUnreadable)
            {
                // Who reads the file reports it.
            }
        }
    }

    private byte[]? FindLine(long position) => (journal.IsThere ? journal.Find(position) : null) ?? Groups.FindLine(position);

    // For a while, a share's client may report a name missing that another machine has just created.
    private byte[]? ReadAgain(long position) => Groups.ReadFile(position) is { Length: > 0 } bytes ? OwnText(bytes) : null;

    private static byte[] OwnText(byte[] bytes) => EventGroup.TryRead(bytes) is { } group ? EventFile.TextOfLine(group.LineOf(group.First)) : bytes;

    // False: the position's folder is not sealed, or not any more.
    private bool TryReadSealed(long position, out StoredEvent? stored, out string? problem)
    {
        (stored, problem) = (null, null);
        using var sealedFile = Sealed.Use(StoreLayout.ShardOf(position));
        if (sealedFile is null)
            return false;
        if (sealedFile.FindLine(position) is not { } line)
            problem = string.Create(CultureInfo.InvariantCulture, $"has no line for position {position}");
        else if ((stored = Read(line, position, out problem)) is null)
            problem = string.Create(CultureInfo.InvariantCulture, $"has a bad line for position {position}, which {problem}");
        if (stored is null)
            Sealed.OpenAgain(StoreLayout.ShardOf(position));
        return true;
    }

    // A line that is not valid is returned as it is.
    private byte[]? ReadSealedBytes(long position) =>
        Sealed.FindLine(position) is not { } line ? null
        : Read(line, position, out _) is null ? line : EventFile.TextOfLine(CanonicalText.Of(line));

    /// <summary>The paths of everything that is not part of a store.</summary>
    public IEnumerable<string> FindStrangers()
    {
        foreach (var name in folder.HasEvents ? fileSystem.List(layout.Events) : [])
        {
            var path = FilePath.Join(layout.Events, name);
            if (StoreLayout.TryParseShardStaging(name, out _) || StoreLayout.IsSealedFileStaging(name)
                || StoreLayout.TryParseSealedFileName(name, out _))
            {
                continue;
            }
            if (!StoreLayout.TryParseShard(name, out var shard) || fileSystem.GetKind(path) != EntryKind.Folder)
            {
                yield return path;
                continue;
            }
            foreach (var file in fileSystem.List(path))
            {
                if ((!StoreLayout.TryParseEventFileName(file, out var position) || StoreLayout.ShardOf(position) != shard)
                    && !StoreLayout.IsTakenBackFile(file))
                {
                    yield return FilePath.Join(path, file);
                }
            }
        }
    }

    /// <summary>Deletes what lies under staging names, which failed appends, interrupted repairs, sealings and unsealings have left.</summary>
    public void DeleteLeftovers(StoreLock.Held held)
    {
        held.AssertIsHeld();
        foreach (var name in fileSystem.List(layout.Events))
        {
            var filesLeft = int.MaxValue;
            if (StoreLayout.IsSealedFileStaging(name))
                fileSystem.Delete(FilePath.Join(layout.Events, name));
            else if (StoreLayout.TryParseShardStaging(name, out _))
                fileSystem.RemoveFolder(FilePath.Join(layout.Events, name), ref filesLeft);
        }
        foreach (var shard in fileSystem.List(layout.Events).Where(name => StoreLayout.TryParseShard(name, out _)))
        {
            var folderOfShard = FilePath.Join(layout.Events, shard);
            var left = fileSystem.List(folderOfShard)
                .FindAll(static name => StoreLayout.IsEventFileStaging(name) || StoreLayout.IsTakenBackFile(name));
            left.ForEach(name => fileSystem.Delete(FilePath.Join(folderOfShard, name)));
            if (left.Count > 0)
                fileSystem.FlushFolder(folderOfShard);
        }
    }

    /// <summary>
    /// The position up to which everything was committed, according to the last valid event at these positions; 0 when none is valid.
    /// </summary>
    public long ProvenDurable(List<long> positions)
    {
        for (var at = positions.Count - 1; at >= 0; at--)
        {
            if (Read(positions[at], out _) is { } last)
                return last.Commit.After;
        }
        return 0;
    }

    private bool IsEdited(long position)
    {
        if (Read(position, out _) is not null)
            return false;
        try
        {
            return ReadBytes(position) is { } bytes && EventFile.WasEdited(bytes);
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return false;
        }
    }

    private void FlushEach(long first, long last)
    {
        FileSystemException? refused = null;
        fileSystem.ForEach((int)(last - first + 1), at =>
        {
            IFile? file;
            try
            {
                file = fileSystem.Open(layout.EventFile(first + at), FileOpening.ReadWrite);
            }
            catch (FileSystemException e)
            {
                // Order matters: thrown after all others are flushed, because a failed flush must not go unreported.
                Interlocked.CompareExchange(ref refused, e, null);
                return;
            }
            using (file)
                folder.MakeDurable(() => file?.Flush());
        });
        if (refused is not null)
            throw refused;
    }
}
