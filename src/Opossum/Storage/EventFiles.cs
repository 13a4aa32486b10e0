using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage;

/// <summary>The folder of event files: finds what lies there, reads it, flushes it, and puts back what is to be as it was.</summary>
internal sealed class EventFiles(IFileSystem fileSystem, StoreLayout layout, Volume volume)
{
    private readonly FileBytes fileBytes = new();

    /// <summary>Whether a file may hold a member that is not known here: see <see cref="StoreFile.IsOfNewerMinor"/>.</summary>
    public bool TakesUnknown { get; init; }

    /// <summary>Makes the files of all positions in the range durable.</summary>
    /// <exception cref="FlushFailedException">They could not be made durable.</exception>
    /// <exception cref="FileSystemException">A file could not be opened. Nothing is lost by that: all of them may be flushed again.</exception>
    public void Flush(long first, long last)
    {
        if (volume.CanFlushWhole)
        {
            FlushFailedException.Guard(() => fileSystem.FlushWhole(layout.Root));
            return;
        }
        FlushEach(first, last);
        FlushFailedException.Guard(() =>
        {
            FlushNames(first, last);
            fileSystem.FlushFolder(layout.Events);
        });
    }

    /// <summary>Makes durable which files of the range there are.</summary>
    public void FlushNames(long first, long last)
    {
        for (var shard = StoreLayout.ShardOf(first); shard <= last; shard += StoreLayout.ShardPositions)
            fileSystem.FlushFolder(layout.ShardFolder(shard));
    }

    /// <summary>
    /// Writes the bytes of the files in the range again. A flush that failed may have marked them clean although they are not on the disk
    /// (Linux does), and then the next would pass them over.
    /// </summary>
    /// <exception cref="FlushFailedException">A file does not hold its event any more.</exception>
    public void WriteAgain(long first, long last)
    {
        for (var position = first; position <= last; position++)
        {
            // Through one handle: whatever happens to the name meanwhile, a file only ever gets its own bytes.
            var path = layout.EventFile(position);
            using var file = fileSystem.Open(path, FileOpening.ReadWrite);
            if (file is null || fileBytes.Read(file, out _) is not { } bytes || Read(bytes, position, out _) is null)
                throw new FlushFailedException(new FileSystemException(FileError.Other, "write again what is not flushed yet in", path, "it is not the event any more that was written."));
            file.Write(bytes, 0);
        }
    }

    /// <summary>Creates the file of a position again from a copy, unless that is not valid or the name is taken.</summary>
    public void PutBack(string copy, long position)
    {
        if (ReadBytes(copy) is not { } bytes || Read(bytes, position, out _) is null)
            return;
        using var file = fileSystem.CreateNew(layout.EventFile(position));
        file?.Write(bytes, 0);
        file?.Flush();
    }

    /// <summary>Writes the file of a position again as its packed copy has it, when it is not so. False: it is, or the copy is not whole.</summary>
    public bool TryRestore(StoredEvent copy)
    {
        if (Read(copy.Position, out _) is { } there && there.Checksum == copy.Checksum)
            return false;
        if (EventFile.TextOfCopy(copy) is not { } text)
            return false;
        using var file = fileSystem.Open(layout.EventFile(copy.Position), FileOpening.ReadWriteOrCreate)!;
        file.Write(text, 0);
        file.SetLength(text.Length);
        file.Flush();
        return true;
    }

    /// <summary>Reads and judges the file of a position.</summary>
    /// <param name="position">Whose file.</param>
    /// <param name="problem">What is wrong with it, as the end of a sentence that begins with the file; null when it is valid.</param>
    public StoredEvent? Read(long position, out string? problem) => Read(layout.EventFile(position), position, out problem);

    /// <summary>The same for a copy of the file that lies elsewhere.</summary>
    public StoredEvent? Read(string path, long position, out string? problem)
    {
        try
        {
            using var file = fileSystem.Open(path, FileOpening.Read);
            if (file is null)
                problem = "is missing";
            else if (fileBytes.Read(file, out problem) is { } bytes)
                return Read(bytes, position, out problem);
        }
        catch (FileSystemException e) when (e.OtherKind is not null || e.Error == FileError.NotAFolder)
        {
            problem = e.OtherKind ?? "is not a file";
        }
        return null;
    }

    /// <summary>The same for bytes that are such a file.</summary>
    public StoredEvent? Read(ReadOnlySpan<byte> bytes, long position, out string? problem) => EventFile.Read(bytes, position, out problem, TakesUnknown);

    /// <summary>Reads and judges the files of many positions.</summary>
    public EventFileBatches Batches { get; } = new(fileSystem);

    /// <summary>Reads and judges the file of a position.</summary>
    public EventFileReading Read(long position) => new(Read(position, out var problem), problem);

    /// <summary>The same for those who go on where the system cannot read a file: this, too, is wrong with it.</summary>
    public EventFileReading ReadOrProblem(long position)
    {
        try
        {
            return Read(position);
        }
        catch (FileSystemException e)
        {
            return new(null, $"cannot be read: {e.Message}", IsOutOfReach: e.Error is FileError.AccessDenied or FileError.InUse or FileError.TooManyOpenFiles);
        }
    }

    /// <summary>The lowest of ascending positions whose file was edited: see <see cref="EventFile.WasEdited"/>. Null: none was.</summary>
    public long? FirstEdited(IEnumerable<long> positions)
    {
        foreach (var position in positions)
        {
            if (IsEdited(position))
                return position;
        }
        return null;
    }

    /// <summary>The error for a file that was edited, where nothing is left that would tell what it held.</summary>
    public StoreDamagedException Edited(long position)
    {
        var path = layout.EventFile(position);
        Read(position, out var problem);
        return new StoreDamagedException(path, position,
            $"The store does not open: {path} {problem}. It was edited, for no crash leaves such a file, and the index has no copy of what it was. Nothing was changed. "
            + $"Undo the edit, put the file back from a backup with {nameof(StoreRepair)}.{nameof(StoreRepair.RestoreFromFolderAsync)}, or keep the edit with {nameof(StoreRepair)}.{nameof(StoreRepair.AcceptEditedFileAsync)}.");
    }

    /// <summary>Whether the file of a position is there, asked past every cache.</summary>
    public bool IsOnServer(long position) => fileSystem.ReadPastCache(layout.EventFile(position), new byte[1], 0) is not null;

    /// <summary>The checksum that the file of a position states; null when it is missing or states none.</summary>
    public uint? StatedChecksum(long position) => ReadBytes(layout.EventFile(position)) is { } bytes ? ChecksumTrailer.Stated(bytes) : null;

    /// <summary>The bytes of any file; null when it is missing, or cannot be an event file.</summary>
    public byte[]? ReadBytes(string path)
    {
        using var file = fileSystem.Open(path, FileOpening.Read);
        return file is null ? null : fileBytes.Read(file, out _);
    }

    /// <summary>The positions behind the given one that have a file, ascending. What is no event file by its name is passed over.</summary>
    public List<long> ListBehind(long position)
    {
        var found = new List<long>();
        var firstShard = StoreLayout.ShardOf(position + 1);
        foreach (var folder in fileSystem.List(layout.Events))
        {
            if (!StoreLayout.TryParseShard(folder, out var shard) || shard < firstShard || fileSystem.GetKind(layout.ShardFolder(shard)) != EntryKind.Folder)
                continue;
            fileSystem.ThrowIfLink(layout.ShardFolder(shard));
            foreach (var name in fileSystem.List(layout.ShardFolder(shard)))
            {
                if (StoreLayout.TryParseEventFileName(name, out var each) && each > position && StoreLayout.ShardOf(each) == shard)
                    found.Add(each);
            }
        }
        found.Sort();
        return found;
    }

    /// <summary>The position up to which all was committed, as the last valid event of these positions says; 0 when none is valid.</summary>
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
            return ReadBytes(layout.EventFile(position)) is { } bytes && EventFile.WasEdited(bytes);
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
                // Order matters: reported after all the others were flushed, for a flush that failed must not go unheard.
                Interlocked.CompareExchange(ref refused, e, null);
                return;
            }
            using (file)
                FlushFailedException.Guard(() => file?.Flush());
        });
        if (refused is not null)
            throw refused;
    }
}
