namespace Opossum.Testing.Simulated;

/// <summary>
/// Bytes that a client has written and not sent: only the client itself sees them. They arrive when the file is flushed, or a second later,
/// or, at the worst moment, right after another client has written to the file.
/// </summary>
internal sealed class HeldBackWrites(SimulatedFileSystem client)
{
    private static readonly TimeSpan longest = TimeSpan.FromSeconds(1);

    private readonly SimulatedDisk disk = client.Disk;
    private readonly List<HeldBackWrite> writes = [];

    private readonly record struct HeldBackWrite(FileInode File, byte[] Bytes, long Offset, long Since);

    public void Add(FileInode file, ReadOnlySpan<byte> bytes, long offset) =>
        writes.Add(new HeldBackWrite(file, bytes.ToArray(), offset, disk.Clock.GetTimestamp()));

    /// <summary>Applies the held-back bytes to what was read from the server; returns the number of bytes that the client sees.</summary>
    public int LayOver(FileInode file, Span<byte> buffer, long offset, int count)
    {
        foreach (var write in writes)
        {
            var start = Math.Max(write.Offset, offset);
            var end = Math.Min(write.Offset + write.Bytes.Length, offset + buffer.Length);
            if (write.File != file || start >= end)
                continue;

            if (start > offset + count)
                buffer[count..(int)(start - offset)].Clear();

            write.Bytes.AsSpan((int)(start - write.Offset), (int)(end - start)).CopyTo(buffer[(int)(start - offset)..]);
            count = Math.Max(count, (int)(end - offset));
        }

        return count;
    }

    /// <summary>The length of the file as the client sees it.</summary>
    public long LengthOf(FileInode file, long length)
    {
        foreach (var write in writes)
            length = write.File == file ? Math.Max(length, write.Offset + write.Bytes.Length) : length;

        return length;
    }

    public void Send(FileInode file)
    {
        // A closure each for most operations of a disk else.
        if (writes.Count > 0)
            SendThoseOf(file);
    }

    public void SendAll() => Send(static _ => true);

    public void SendWhatIsDue()
    {
        if (writes.Count > 0)
            SendThoseFrom(disk.Clock.GetTimestamp());
    }

    public void Drop(FileInode file)
    {
        if (writes.Count > 0)
            DropThoseOf(file);
    }

    public void DropAll() => writes.Clear();

    private void SendThoseOf(FileInode file) => Send(write => write.File == file);

    private void SendThoseFrom(long now) => Send(write => disk.Clock.GetElapsedTime(write.Since, now) >= longest);

    private void DropThoseOf(FileInode file) => writes.RemoveAll(write => write.File == file);

    private void Send(Predicate<HeldBackWrite> isSent)
    {
        // Order matters: they are removed from here before they arrive, because an arrival makes other clients send theirs.
        var sent = writes.FindAll(isSent);
        writes.RemoveAll(isSent);
        foreach (var write in sent)
        {
            disk.TakeRoom(write.File, write.Offset, write.Bytes.Length);
            disk.Arrive(client, write.File, write.Bytes, write.Offset);
        }
    }
}
