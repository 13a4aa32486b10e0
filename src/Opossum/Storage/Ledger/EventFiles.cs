using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Failures;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>
/// The events in the ledger, each in its event file, in the sealed file of its folder, or only in a line of the log: reads and flushes them.
/// </summary>
internal sealed class EventFiles(StoreFolder folder) : IDisposable
{
    private const string Missing = "is missing";

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly Volume volume = folder.Volume;
    private readonly FileBytes fileBytes = new();
    private readonly OwnFolders folders = new(folder.FileSystem);
    private EventFileMending? mending;
    private EventFileListing? listing;
    private LinesAhead? linesAhead;

    /// <summary>Makes the files of all positions in the range durable.</summary>
    /// <exception cref="DiskStateUnknownException">They could not be made durable.</exception>
    /// <exception cref="FileSystemException">A file could not be opened. Nothing is lost: the flush can be repeated for all files.</exception>
    public void Flush(long first, long last)
    {
        if (volume.CanFlushWhole)
        {
            folder.MakeDurable(() => fileSystem.FlushWhole(layout.Events));
            return;
        }
        FlushEach(first, last);
        folder.MakeDurable(() =>
        {
            FlushNames(first, last);
            fileSystem.FlushFolder(layout.Events);
        });
    }

    /// <summary>
    /// The same for a process that only reads, of events that may have no files yet. Where its handles do not allow a flush (Windows), nothing is
    /// flushed.
    /// </summary>
    public void FlushForReader(long first, long last)
    {
        try
        {
            var paths = Enumerable.Range(0, (int)(last - first + 1)).Select(at => layout.EventFile(first + at)).ToList();
            for (var shard = layout.ShardOf(first); shard <= last; shard += layout.ShardPositions)
            {
                paths.Add(layout.Segment(shard));
                // Events that are only in the log have no folder.
                if (fileSystem.GetKind(layout.ShardFolder(shard)) == EntryKind.Folder)
                    fileSystem.FlushFolder(layout.ShardFolder(shard));
            }
            foreach (var path in paths)
            {
                using var file = fileSystem.Open(path, FileOpening.Read);
                file?.Flush();
            }
            fileSystem.FlushFolder(layout.Events);
        }
        catch (FileSystemException e) when (e.Error is FileError.AccessDenied or FileError.ReadOnly)
        {
            // A power cut may remove what a process wrote that ended before it flushed them.
        }
    }

    /// <summary>Flushes the folders of the range, so that creations and removals in it are durable.</summary>
    public void FlushNames(long first, long last)
    {
        for (var shard = layout.ShardOf(first); shard <= last; shard += layout.ShardPositions)
        {
            // What is sealed is durable.
            if (!Sealed.IsKnown(shard))
                fileSystem.FlushFolder(layout.ShardFolder(shard));
        }
    }

    /// <summary>Rewrites and restores existing files.</summary>
    public EventFileMending Mending => mending ??= new EventFileMending(folder, this);

    /// <summary>Lists the events and what else is in their folders.</summary>
    public EventFileListing Listing => listing ??= new EventFileListing(folder, this);

    /// <summary>The lines of events that may have no files yet.</summary>
    public LinesAhead Ahead => linesAhead ??= new LinesAhead(folder, this);

    public SealedFiles Sealed { get; } = new(folder);

    /// <summary>The path of the file that has a position's event, for messages.</summary>
    public string PathOf(long position) =>
        Sealed.IsKnown(layout.ShardOf(position)) ? layout.SealedFile(layout.ShardOf(position)) : layout.EventFile(position);

    /// <summary>Reads and validates the file of a position, or its line in a sealed file, or in the log while it has no file.</summary>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with its path; null when it is valid.</param>
    public StoredEvent? Read(long position, out string? problem)
    {
        if (TryReadSealed(position, out var stored, out problem))
            return stored;
        stored = ReadFile(position, out problem);
        if (stored is not null)
            return stored;
        // It may have been sealed meanwhile.
        if (Sealed.LookAgain(layout.ShardOf(position)) && TryReadSealed(position, out stored, out var sealedProblem))
        {
            problem = sealedProblem;
            return stored;
        }
        if (Ahead.Find(position) is { } line)
            return Read(line, position, out problem);
        // It may have got its file meanwhile.
        if (ReadAgain(position) is { } bytes)
            return Read(bytes, position, out problem);
        if (problem == Missing && Ahead.After() < position)
            problem = $"{Missing}, and so is its line in {layout.Segment(layout.ShardOf(position))}";
        return null;
    }

    /// <summary>The same for work that ends without the event.</summary>
    /// <param name="what">What is not done without it, as the beginning of a sentence.</param>
    /// <exception cref="StoreDamagedException">It is missing or bad.</exception>
    public StoredEvent ReadOrThrow(long position, string what) => Read(position, out var problem)
        ?? throw new StoreDamagedException(PathOf(position), position,
            $"{what}: {PathOf(position)} {problem}. {StoreCheck.InWords} names the remedy; run this again afterwards.");

    /// <summary>The same of its event file, whether that counts or not.</summary>
    public StoredEvent? ReadFile(long position, out string? problem)
    {
        var path = layout.EventFile(position);
        try
        {
            using var file = Open(position);
            if (file is null)
                problem = Missing;
            else if (fileBytes.Read(file, out problem) is { } bytes)
                return Read(bytes, position, out problem);
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            problem = e.OtherKind is not { } kind ? "is not a file" : e.Path == path ? kind : $"is in {e.Path}, which {kind}";
        }
        return null;
    }

    /// <summary>The same for the bytes of such a file.</summary>
    public StoredEvent? Read(ReadOnlySpan<byte> bytes, long position, out string? problem) =>
        EventFile.Read(bytes, position, out problem, folder.IsOfNewerMinor);

    /// <summary>Validates the line of a position in the log, of which an event file is to be made.</summary>
    /// <exception cref="StoreDamagedException">It is not the position's event.</exception>
    public void ThrowIfNoEvent(ReadOnlySpan<byte> line, long position, string path)
    {
        if (Read(line, position, out var problem) is null)
        {
            throw new StoreDamagedException(path, position,
                $"The store is damaged at position {position}: the event's line in {path} {problem}. Nothing was changed. {StoreCheck.InWords} names "
                    + "everything that is wrong and its remedy; see docs/operations.md.");
        }
    }

    /// <summary>Reads and validates the files of many positions.</summary>
    public EventFileBatches Batches { get; } = new(folder);

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
            return new(null, $"cannot be read: {e.Message}", e.IsOutOfReach);
        }
    }

    /// <summary>Finds the lowest of ascending positions whose file was edited (see <see cref="EditedEvent.WasEdited"/>); null when none was.</summary>
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
        Read(position, out var problem);
        var path = PathOf(position);
        return new StoreDamagedException(path, position,
            $"The store does not open: {path} {problem}. It was edited (no crash leaves such a file), and the index has no copy of the original. "
                + "Nothing was changed. "
            + $"Undo the edit, restore the file from a backup ({nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromFolderAsync)}, opossum repair "
            + $"from-folder), or keep the edit ({nameof(StoreRepair)}.{nameof(StoreRepair.AcceptEditedFileAsync)}, opossum repair accept-edit).");
    }

    /// <summary>Checks that every event in the log is within reach.</summary>
    /// <exception cref="StoreDamagedException">One is not.</exception>
    public void ThrowIfLogDamaged()
    {
        if (Ahead.FindDamage() is var (path, position, problem))
            throw new StoreDamagedException(path, position, $"The store is damaged: {path} {problem}. {StoreCheck.InWords} names the remedy.");
    }

    /// <summary>Whether the name of a position's file is taken.</summary>
    public bool HasName(long position) => fileSystem.GetKind(layout.EventFile(position)) != EntryKind.Missing;

    /// <summary>The path of a folder of event files, for messages.</summary>
    public string FolderOf(long shard) => layout.ShardFolder(shard);

    /// <summary>Whether a folder was sealed: then none of its positions is free.</summary>
    public bool IsSealed(long shard) => Sealed.LookAgain(shard);

    /// <summary>Whether the file of a position exists, read past every cache.</summary>
    public bool IsOnServer(long position) => fileSystem.ReadPastCache(layout.EventFile(position), new byte[1], 0) is not null;

    /// <summary>The checksum that the file of a position states; null when it is missing or states none.</summary>
    public uint? StatedChecksum(long position) => ReadBytes(position) is { } bytes ? ChecksumTrailer.Stated(bytes) : null;

    /// <summary>
    /// The bytes of a position's file, also of one that is still to be written; null when it is missing, or cannot be an event file. As in
    /// <see cref="Read(long, out string?)"/>, a file that is not whole does not count beside the event's line.
    /// </summary>
    public byte[]? ReadBytes(long position)
    {
        if (ReadSealedBytes(position) is { } there)
            return there;
        var bytes = ReadFileBytes(position);
        if (bytes is not null && ChecksumTrailer.Judge(bytes) is null)
            return bytes;
        if (Sealed.LookAgain(layout.ShardOf(position)) && ReadSealedBytes(position) is { } found)
            return found;
        return Ahead.Find(position) is { } line ? EventFile.TextOfLine(line) : ReadAgain(position) ?? bytes;
    }

    /// <summary>The bytes of its event file, whether that counts or not; null when it is missing, or cannot be an event file.</summary>
    public byte[]? ReadFileBytes(long position)
    {
        using var file = Open(position);
        return file is null ? null : fileBytes.Read(file, out _);
    }

    /// <summary>
    /// Whether a position of a sealed folder has an event file with another event. What remains of an unsealing after a crash is not whole.
    /// </summary>
    public bool HasOtherFile(long position) => ReadFile(position, out _) is { } stored
        ? Sealed.FindLine(position) is not { } line || ChecksumTrailer.Stated(line) != stored.Checksum
        : ReadFileBytes(position) is { } bytes && EditedEvent.WasEdited(bytes);

    /// <summary>The bytes of any file, also outside the store; null when it is missing, or cannot be an event file.</summary>
    public byte[]? ReadBytes(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is null ? null : fileBytes.Read(file, out _);
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

    public void Dispose() => Sealed.Dispose();

    // An opening looks only into the newest folder, so a link in place of an older one is refused where a file in it is read.
    private IFile? Open(long position)
    {
        ThrowIfLink(position);
        return fileSystem.Open(layout.EventFile(position), FileOpening.Read);
    }

    private void ThrowIfLink(long position) => folders.ThrowIfLink(layout.ShardFolder(layout.ShardOf(position)));

    // For a while, a share's client may report a name missing that another machine has just created.
    private byte[]? ReadAgain(long position)
    {
        try
        {
            if (!volume.ViewMayBeStale)
                return ReadFileBytes(position);
            ThrowIfLink(position);
            using var file = fileSystem.OpenUncached(layout.EventFile(position));
            return file is null ? null : FileBytes.Read(file);
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            // Something that is no file has the name, or no folder that of the folder.
            return null;
        }
    }

    // False: the position's folder is not sealed, or not any more.
    private bool TryReadSealed(long position, out StoredEvent? stored, out string? problem)
    {
        (stored, problem) = (null, null);
        using var sealedFile = Sealed.Use(layout.ShardOf(position));
        if (sealedFile is null)
            return false;
        if (sealedFile.FindLine(position) is not { } line)
            problem = string.Create(CultureInfo.InvariantCulture, $"has no line for position {position}");
        else if ((stored = Read(line, position, out problem)) is null)
            problem = string.Create(CultureInfo.InvariantCulture, $"has a bad line for position {position}, which {problem}");
        if (stored is null)
            Sealed.OpenAgain(layout.ShardOf(position));
        return true;
    }

    // A line that is not valid is returned as it is.
    private byte[]? ReadSealedBytes(long position) =>
        Sealed.FindLine(position) is not { } line ? null
        : Read(line, position, out _) is null ? line : EventFile.TextOfLine(CanonicalText.Of(line));

    private bool IsEdited(long position)
    {
        if (Read(position, out _) is not null)
            return false;
        try
        {
            return ReadBytes(position) is { } bytes && EditedEvent.WasEdited(bytes);
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
                // Order matters: thrown after all others are flushed, or a flush that fails there would go unreported.
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
