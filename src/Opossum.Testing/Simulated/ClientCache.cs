using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>
/// What a client's machine caches instead of asking the server: names it looked up, folders it listed, files it read. Entries last as long
/// as the staleness, except that a file's is discarded when the file is reopened.
/// </summary>
internal sealed class ClientCache(SimulatedDisk disk, TimeSpan staleness)
{
    private const int PageBytes = 4096;

    private readonly Dictionary<string, (EntryKind Kind, long Since)> kinds = new(StringComparer.Ordinal);
    private readonly Dictionary<string, (List<string> Names, long Since)> listings = new(StringComparer.Ordinal);
    private readonly Dictionary<FileInode, CachedFile> files = [];

    private sealed class CachedFile
    {
        public int Handles { get; set; }

        public int HandlesForWriting { get; set; }

        /// <summary>The file as of some moment; null when the server must be asked.</summary>
        public byte[]? Bytes { get; set; }

        public bool IsUnlinked { get; set; }

        public long Since { get; set; }

        /// <summary>The ranges that other clients appended to a page that this machine holds for writing.</summary>
        public Ranges Zeros { get; } = new();
    }

    private bool IsUsed => staleness > TimeSpan.Zero || disk.Kind == VolumeKind.Nfs;

    public EntryKind? FindKind(string path) => kinds.TryGetValue(path, out var known) && IsBelieved(known.Since) ? known.Kind : null;

    public List<string>? FindListing(string folder) => listings.TryGetValue(folder, out var known) && IsBelieved(known.Since) ? known.Names : null;

    public void Remember(string path, EntryKind kind)
    {
        if (staleness > TimeSpan.Zero)
            kinds[path] = (kind, disk.Clock.GetTimestamp());
    }

    public void Remember(string folder, List<string> names)
    {
        if (staleness > TimeSpan.Zero)
            listings[folder] = (names, disk.Clock.GetTimestamp());
    }

    /// <summary>Forgets the name, because the server reported it or this client changed it.</summary>
    public void Forget(string path)
    {
        kinds.Remove(path);
        listings.Remove(path[..Math.Max(0, path.LastIndexOf('/'))]);
    }

    public void NoteOpened(FileInode file, bool forWriting)
    {
        if (IsUsed)
        {
            if (!files.TryGetValue(file, out var cached))
                files.Add(file, cached = new CachedFile());

            cached.Handles++;
            cached.HandlesForWriting += forWriting ? 1 : 0;
            cached.Bytes = disk.Volume.CachesIgnoreLocks ? cached.Bytes : null;
        }
    }

    public void NoteClosed(FileInode file, bool forWriting)
    {
        if (files.TryGetValue(file, out var cached))
        {
            cached.Handles--;
            cached.HandlesForWriting -= forWriting ? 1 : 0;
            if (cached.HandlesForWriting == 0)
                cached.Zeros.Subtract(0, int.MaxValue);

            if (cached.Handles == 0)
                files.Remove(file);
        }
    }

    /// <summary>Forgets a file when a lock on it is taken, so that its machine reads it again.</summary>
    public void NoteLocked(FileInode file)
    {
        if (files.TryGetValue(file, out var cached))
            cached.Bytes = null;
    }

    public void NoteWrite(FileInode file, int start, int end, bool isOwn)
    {
        if (files.TryGetValue(file, out var cached) && cached.HandlesForWriting > 0)
        {
            if (isOwn)
            {
                cached.Zeros.Subtract(start, end);
            }
            else
            {
                cached.Zeros.Add(start, end);
            }
        }
    }

    /// <summary>Updates the cache with the client's own writes, which it sees at any offset.</summary>
    public void NoteOwnWrite(FileInode file, ReadOnlySpan<byte> written, long offset)
    {
        if (files.TryGetValue(file, out var cached) && cached.Bytes is { } bytes && !written.IsEmpty)
        {
            if (bytes.Length < offset + written.Length)
                Array.Resize(ref bytes, (int)offset + written.Length);

            written.CopyTo(bytes.AsSpan((int)offset));
            cached.Bytes = bytes;
        }
    }

    public void NoteOwnLength(FileInode file, long length)
    {
        if (files.TryGetValue(file, out var cached) && cached.Bytes is { } bytes)
        {
            Array.Resize(ref bytes, (int)length);
            cached.Bytes = bytes;
        }
    }

    public int Read(FileInode file, Span<byte> buffer, long offset)
    {
        if (!IsUsed)
            return file.Read(buffer, offset);

        var cached = Believe(file);
        var count = cached.Bytes is { } bytes ? FileInode.Copy(bytes, buffer, offset) : file.Read(buffer, offset);
        foreach (var (start, end) in cached.Zeros.Within((int)Math.Min(offset, int.MaxValue), (int)Math.Min(offset + count, int.MaxValue)))
            buffer[(int)(start - offset)..(int)(end - offset)].Clear();

        return count;
    }

    /// <summary>The cached bytes of the page around an offset, if this machine has read it: bytes inside the file only.</summary>
    public (byte[] Bytes, long Offset)? PageAround(FileInode file, long offset)
    {
        var start = offset / PageBytes * PageBytes;
        return files.TryGetValue(file, out var cached) && cached.Bytes is { } bytes && bytes.Length > start
            ? (bytes[(int)start..(int)Math.Min(bytes.Length, start + PageBytes)], start)
            : null;
    }

    public long GetLength(FileInode file) => IsUsed && Believe(file).Bytes is { } bytes ? bytes.Length : file.Length;

    public bool IsUnlinked(FileInode file) => IsUsed && Believe(file) is { Bytes: not null } cached ? cached.IsUnlinked : file.Names == 0;

    private CachedFile Believe(FileInode file)
    {
        var cached = files[file];
        if (staleness > TimeSpan.Zero && (cached.Bytes is null || !IsBelieved(cached.Since)))
        {
            cached.Bytes = file.Bytes.ToArray();
            cached.IsUnlinked = file.Names == 0;
            cached.Since = disk.Clock.GetTimestamp();
        }

        return cached;
    }

    private bool IsBelieved(long since) => disk.Clock.GetElapsedTime(since) < staleness;
}
