namespace Opossum.Testing.Simulated;

/// <summary>
/// A file's bytes as programs see them, and the changes that lead back to the bytes on the medium: each change keeps what it overwrote.
/// So a flush only forgets changes, and a power cut can give every 512-byte unit any of the versions it has had. A copy of a file without
/// changes shares its bytes until one of the two is written.
/// </summary>
internal sealed class FileInode : Inode
{
    public const int UnitBytes = 512;

    private readonly Ranges dropped = new();
    private byte[] droppedBytes = [];
    private byte[] bytes = [];
    private bool sharesBytes;
    private List<Change>? changes;
    private int changesWithDevice;

    private readonly record struct Change(int Offset, int Count, int LengthBefore, byte[] Before);

    public int Length { get; private set; }

    public int Handles { get; set; }

    public List<(long Offset, SimulatedFile Holder)> Locks { get; } = [];

    /// <summary>When the bytes reach the device whose writing was begun.</summary>
    public long WrittenBack { get; set; }

    /// <summary>The number of changes that are not durable, which is the number of its newest version; the durable one is 0.</summary>
    public int NewestVersion => changes?.Count ?? 0;

    /// <summary>The newest version that reached the device, perhaps only its volatile cache.</summary>
    public int VersionWithDevice => changesWithDevice;

    /// <summary>Whether there are changes that have not reached the device.</summary>
    public bool IsDirty => NewestVersion > changesWithDevice;

    /// <summary>The number of units of its longest version.</summary>
    public int UnitCount => (LongestLength() + UnitBytes - 1) / UnitBytes;

    public ReadOnlySpan<byte> Bytes => bytes.AsSpan(0, Length);

    /// <summary>Whether a power cut leaves it as it is, whatever else it takes.</summary>
    public bool IsDurable => NewestVersion == 0 && dropped.IsEmpty;

    /// <summary>A file with durable bytes.</summary>
    public static FileInode Of(byte[] bytes) => new() { bytes = bytes, Length = bytes.Length };

    /// <summary>A durable file with the same bytes.</summary>
    public FileInode Copy()
    {
        sharesBytes = true;
        return new FileInode { bytes = bytes, Length = Length, sharesBytes = true };
    }

    public int Read(Span<byte> buffer, long offset) => Copy(Bytes, buffer, offset);

    /// <summary>Copies the source from the offset on, until the buffer is full.</summary>
    public static int Copy(ReadOnlySpan<byte> source, Span<byte> buffer, long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        var count = (int)Math.Clamp(source.Length - offset, 0, buffer.Length);
        if (count > 0)
            source.Slice((int)offset, count).CopyTo(buffer);

        return count;
    }

    public void Write(ReadOnlySpan<byte> written, long offset)
    {
        if (written.IsEmpty)
            return;

        var start = checked((int)offset);
        var end = checked(start + written.Length);
        Note(start, written.Length);
        Grow(end);
        written.CopyTo(bytes.AsSpan(start));
    }

    public void SetLength(long length)
    {
        var end = checked((int)length);
        if (end == Length)
            return;

        Note(Math.Min(end, Length), Math.Abs(end - Length));
        Grow(end);
        bytes.AsSpan(end, Length - end).Clear();
        Length = end;
    }

    /// <summary>Marks all bytes as sent to the device, which may hold them in a volatile cache.</summary>
    public void GiveToDevice() => changesWithDevice = NewestVersion;

    public void MakeDurable()
    {
        changes = null;
        changesWithDevice = 0;
    }

    public void MakeDurableWhatIsWithDevice()
    {
        changes?.RemoveRange(0, changesWithDevice);
        changesWithDevice = 0;
    }

    /// <summary>Marks all bytes clean although the medium does not have them.</summary>
    public void DropChanges()
    {
        var onMedium = VersionAfterCut(NewestVersion, new int[UnitCount]);
        foreach (var change in changes ?? [])
            dropped.Add(change.Offset, change.Offset + change.Count);

        droppedBytes = onMedium;
        MakeDurable();
    }

    /// <summary>Builds what a power cut leaves: the length of one version, and for each unit the bytes of the given version.</summary>
    public byte[] VersionAfterCut(int lengthVersion, int[] unitVersions)
    {
        var survivor = new byte[LongestLength()];
        Bytes.CopyTo(survivor);
        for (var i = NewestVersion - 1; i >= 0; i--)
            TakeBack(changes![i], survivor, unit => unitVersions[unit] <= i);

        foreach (var (start, end) in dropped.Within(0, survivor.Length))
            CopyOrZero(droppedBytes, start, survivor.AsSpan(start, end - start));

        Array.Resize(ref survivor, lengthVersion == NewestVersion ? Length : changes![lengthVersion].LengthBefore);
        return survivor;
    }

    private static void TakeBack(Change change, byte[] bytes, Func<int, bool> isTakenBack)
    {
        var changeEnd = change.Offset + change.Count;
        for (var unit = change.Offset / UnitBytes; unit * UnitBytes < changeEnd; unit++)
        {
            if (isTakenBack(unit))
            {
                var start = Math.Max(unit * UnitBytes, change.Offset);
                var end = Math.Min((unit + 1) * UnitBytes, changeEnd);
                CopyOrZero(change.Before, start - change.Offset, bytes.AsSpan(start, end - start));
            }
        }
    }

    private static void CopyOrZero(byte[] source, int offset, Span<byte> target)
    {
        var count = Copy(source, target, offset);
        target[count..].Clear();
    }

    private void Note(int start, int count)
    {
        var before = start < Length ? bytes.AsSpan(start, Math.Min(count, Length - start)).ToArray() : [];

        // Dropped bytes are not on the medium: a power cut that undoes this change restores what was there before.
        foreach (var part in dropped.Within(start, start + before.Length))
            CopyOrZero(droppedBytes, part.Start, before.AsSpan(part.Start - start, part.End - part.Start));

        dropped.Subtract(start, start + count);
        changes ??= [];
        changes.Add(new Change(start, count, Length, before));
    }

    // Also for a file that does not grow: its bytes are about to change.
    private void Grow(int length)
    {
        if (length > bytes.Length)
            Array.Resize(ref bytes, (int)Math.Max(length, Math.Min(bytes.Length * 2L, Array.MaxLength)));
        else if (sharesBytes)
            bytes = (byte[])bytes.Clone();

        sharesBytes = false;
        Length = Math.Max(Length, length);
    }

    private int LongestLength()
    {
        var longest = Length;
        foreach (var change in changes ?? [])
            longest = Math.Max(longest, change.LengthBefore);

        return longest;
    }
}
