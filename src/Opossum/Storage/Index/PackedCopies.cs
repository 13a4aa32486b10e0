using Opossum.FileSystem;

namespace Opossum.Storage.Index;

/// <summary>Writes the packed copies of events to events.dat, and closes the files that had this name while the store was open.</summary>
/// <param name="folder">The store's folder.</param>
internal sealed class PackedCopies(StoreFolder folder) : IDisposable
{
    // So many bytes are reserved at once, except in a small store.
    private const int ReservedAtOnce = 4096;

    private readonly IndexFiles files = new(folder);
    private readonly string path = folder.Layout.PackedFile;
    private readonly bool isOnNetwork = folder.Volume.IsNetwork;
    private readonly List<WeakReference<IFile>> opened = [];
    private long reservedUpTo;

    /// <summary>Owns a file that was opened. Readers that have begun go on to read an earlier one.</summary>
    /// <remarks>
    /// The garbage collector closes an earlier file after the last of its readers: a removed file that is open keeps its room on the disk.
    /// </remarks>
    public void Own(IFile packed)
    {
        opened.RemoveAll(static each => !each.TryGetTarget(out _));
        opened.Add(new WeakReference<IFile>(packed));
        reservedUpTo = 0;
    }

    /// <summary>Reserves disk space for copies that follow the view's head.</summary>
    /// <remarks>
    /// Copies that grow the file could fail on a full disk after the events are stored: zeros are written first; after the first 4,096 bytes, up to
    /// a multiple of them, so that few appends write zeros.
    /// </remarks>
    public void Reserve(IndexView view, int length)
    {
        if (!view.HasCopy(view.Contents.Head + 1))
            return;
        var start = EndOf(view);
        if (start + length <= reservedUpTo)
            return;
        var end = start + length;
        if (end > ReservedAtOnce)
            end = (end + ReservedAtOnce - 1) / ReservedAtOnce * ReservedAtOnce;
        files.WriteZeros(view.Packed!, path, end - start, start);
        reservedUpTo = end;
    }

    /// <summary>Writes copies that follow the view's head; false when the file was deleted.</summary>
    public bool TryWrite(IndexView view, ByteWriter copies)
    {
        // While the index is derived, copies of sealed events are left out.
        var leftOut = PackedEvents.LengthBefore(copies.Written, view.Contents.Head + 1, view.FirstPacked);
        if (leftOut == copies.Length)
            return true;
        try
        {
            Write(view, copies.Bytes.AsMemory(leftOut, copies.Length - leftOut), leftOut > 0 ? PackedEvents.HeaderLength : EndOf(view));
            return true;
        }
        catch (FileSystemException e) when (e.Error == FileError.NotFound)
        {
            return false;
        }
    }

    /// <summary>Rewrites the copy of a position that has one in place; false when the index states another length.</summary>
    public bool TryMend(IndexView view, long position, byte[] record)
    {
        var start = view.Contents.PackedStart(position);
        if (view.Contents.PackedEnd(position) - start != record.Length)
            return false;
        // On a share, only this machine's view of the copy may have been incomplete.
        if (isOnNetwork && Read(view, position, pastCache: true).AsSpan().SequenceEqual(record))
            return true;
        Write(view, record, view.OffsetOf(start));
        return true;
    }

    /// <summary>Reads the copy of a position as it is on disk.</summary>
    /// <param name="view">The view.</param>
    /// <param name="position">The position.</param>
    /// <param name="pastCache">Whether to read past the cache.</param>
    public byte[] Read(IndexView view, long position, bool pastCache) => PackedEvents.ReadRecord(view, position,
        pastCache ? (record, start) => folder.FileSystem.ReadPastCache(path, record, start) ?? 0 : null);

    public void Dispose()
    {
        foreach (var each in opened)
        {
            if (each.TryGetTarget(out var packed))
                packed.Dispose();
        }
        opened.Clear();
    }

    private static long EndOf(IndexView view) => view.OffsetOf(view.Contents.PackedEnd(view.Contents.Head));

    private void Write(IndexView view, ReadOnlyMemory<byte> copies, long offset) =>
        files.Write(view.Packed!, path, (Copies: copies, At: offset, IsOnNetwork: isOnNetwork), static (packed, what) =>
        {
            packed.Write(what.Copies.Span, what.At);
            // Sent to the server, so that no byte arrives after another machine has the lock. It need not be durable: it can be derived.
            if (what.IsOnNetwork)
                packed.FlushRange();
        });
}
