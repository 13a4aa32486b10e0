using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Index;

/// <summary>
/// Writes the file of packed copies again so that it begins with another position. Most of it is written without the lock; under it, what was
/// appended meanwhile, and then the file takes its name.
/// </summary>
/// <param name="folder">The store's folder.</param>
/// <param name="index">The index, opened for this.</param>
/// <param name="read">Reads an event from the ledger; null when it is not valid.</param>
internal sealed class PackedFileReplacement(StoreFolder folder, EventIndex index, Func<long, StoredEvent?> read) : IDisposable
{
    private const int BufferLength = 1024 * 1024;

    // So few bytes are written in much less than a millisecond.
    private const int RestBytesMax = 64 * 1024;

    private const int PassesMax = 10;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly string staging = folder.Layout.NewPackedFileStaging();
    private readonly byte[] buffer = new byte[BufferLength];
    private IFile? file;
    private IFile? packed;
    private long end;
    private long written;
    private bool isStaged = true;

    /// <summary>Deletes what a process that ended has left of one.</summary>
    public static void DeleteLeftovers(IFileSystem fileSystem, StoreLayout layout)
    {
        foreach (var name in fileSystem.List(layout.Index).Where(StoreLayout.IsPackedFileStaging))
            fileSystem.Delete(FilePath.Join(layout.Index, name));
    }

    /// <summary>
    /// Writes the copies of the positions from the given one on. False: nothing is to be replaced, or the index has lost its end, or the
    /// store lies on a network file system, where the file stays as it is until the index is rebuilt.
    /// </summary>
    public bool TryWrite(int first, CancellationToken cancellationToken)
    {
        var view = index.TakeView();
        // A writer on a share does not look whether this file is still the one under the name: that would be one more round trip an append.
        packed = view.Packed;
        if (packed is null || view.FirstPacked == first || view.Contents.Head < Math.Max(first, view.FirstPacked - 1)
            || folder.Volume.IsNetwork)
        {
            return false;
        }
        file = fileSystem.CreateNew(staging) ?? throw new FileSystemException(FileError.Other, "create", staging, "its name is taken");
        file.Write(IndexHeader.OfPacked(folder.Id!.Value, first), 0);
        end = PackedEvents.HeaderLength;
        if (!TryEncode(view.Contents, first, Math.Min(view.FirstPacked, view.Contents.Head + 1L), cancellationToken))
            return false;
        written = Math.Max(first, view.FirstPacked) - 1;
        for (var pass = 0; pass < PassesMax && (pass == 0 || Rest() > RestBytesMax); pass++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!TryCopyRest())
                return false;
            index.TakeView();
        }
        file.Flush();
        return true;
    }

    /// <summary>Puts the file in its place. False when another process has replaced the index meanwhile.</summary>
    public bool TryComplete(StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (index.CatchUp(underLock: true) == IndexState.Gone || !TryCopyRest())
            return false;
        fileSystem.Move(staging, folder.Layout.PackedFile);
        isStaged = false;
        return true;
    }

    public void Dispose()
    {
        if (file is null)
            return;
        file.Dispose();
        if (isStaged)
            fileSystem.Delete(staging);
    }

    private long Rest() => index.Published.Contents.PackedEnd(index.Head) - index.Published.Contents.PackedEnd(written);

    private bool TryEncode(IndexContents contents, long first, long until, CancellationToken cancellationToken)
    {
        var encoder = new IndexEncoder();
        var length = 0;
        for (var position = first; position < until; position++)
        {
            if (read(position) is not { } stored)
                return false;
            var record = encoder.EncodePacked(stored);
            // The index states something else about the event.
            if (record.Length != contents.PackedEnd(position) - contents.PackedStart(position))
                return false;
            if (record.Length > buffer.Length - length)
            {
                Append(buffer.AsSpan(0, length));
                length = 0;
                cancellationToken.ThrowIfCancellationRequested();
            }
            if (record.Length > buffer.Length)
                Append(record);
            else
                record.CopyTo(buffer.AsSpan(length));
            length += record.Length > buffer.Length ? 0 : record.Length;
        }
        Append(buffer.AsSpan(0, length));
        return true;
    }

    // False: another process has replaced the file.
    private bool TryCopyRest()
    {
        var view = index.Published;
        if (view.Packed != packed)
            return false;
        var contents = view.Contents;
        var head = contents.Head;
        var from = view.OffsetOf(contents.PackedEnd(written));
        var until = view.OffsetOf(contents.PackedEnd(head));
        while (from < until)
        {
            var part = buffer.AsSpan(0, (int)Math.Min(buffer.Length, until - from));
            // What a power cut has taken is damaged in the new file as it was in the old one, and is read from the ledger.
            part[packed!.Read(part, from)..].Clear();
            Append(part);
            from += part.Length;
        }
        written = head;
        return true;
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        file!.Write(bytes, end);
        end += bytes.Length;
    }
}
