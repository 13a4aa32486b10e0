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

    public void Send(FileInode file) => Send(file, static (write, file) => write.File == file);

    public void SendAll() => Send(0, static (_, _) => true);

    public void SendWhatIsDue() => Send((disk.Clock, Now: disk.Clock.GetTimestamp()),
        static (write, at) => at.Clock.GetElapsedTime(write.Since, at.Now) >= longest);

    public void Drop(FileInode file)
    {
        for (var at = writes.Count - 1; at >= 0; at--)
        {
            if (writes[at].File == file)
                writes.RemoveAt(at);
        }
    }

    public void DropAll() => writes.Clear();

    // What decides is given apart from what it needs: most operations of a disk come here, usually for nothing.
    private void Send<T>(T by, Func<HeldBackWrite, T, bool> isSent)
    {
        if (writes.Count == 0)
            return;

        // They are removed from here before they arrive, because an arrival makes other clients send theirs.
        var sent = new List<HeldBackWrite>();
        foreach (var write in writes)
        {
            if (isSent(write, by))
                sent.Add(write);
        }
        foreach (var write in sent)
            writes.Remove(write);
        foreach (var write in sent)
        {
            disk.TakeRoom(write.File, write.Offset, write.Bytes.Length);
            disk.Arrive(client, write.File, write.Bytes, write.Offset);
        }
    }
}
