using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>One of the two files of the journal, used under the lock.</summary>
internal sealed class JournalFile(StoreFolder folder, int number) : IDisposable
{
    private static readonly byte[] blanks = MakeBlanks();

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly JournalSettings settings = folder.Journal;
    private IFile? file;
    private long length;

    public string Path { get; } = folder.Layout.JournalFiles[number];

    public JournalContent Content { get; private set; } = New(folder, number);

    /// <summary>Whether the text fits after what the file holds without making it longer.</summary>
    public bool HasRoom(int textLength) => Content.End + textLength <= length;

    /// <summary>Creates the file if it does not exist, fills it and makes it durable.</summary>
    public void Prepare()
    {
        file ??= fileSystem.Open(Path, FileOpening.ReadWriteOrCreate)!;
        length = file.GetLength();
        if (length < settings.FileLength)
            Fill(length, settings.FileLength);
        // Also when it existed: the process that created it may have ended before flushing it.
        file.Flush();
    }

    /// <summary>Reads what other processes have written since.</summary>
    /// <param name="isUnknown">Whether everything is read again, whatever was known.</param>
    public void Refresh(bool isUnknown = false)
    {
        file ??= fileSystem.Open(Path, FileOpening.ReadWrite);
        if (file is null)
        {
            Content = New(folder, number);
            return;
        }
        length = file.GetLength();
        if (isUnknown || Content.Use == Guid.Empty || Content.Use != ReadUse())
            Content = New(folder, number);
        Content.Continue(Read);
    }

    /// <summary>Begins a use of the file.</summary>
    /// <exception cref="FileSystemException">The header could not be written.</exception>
    public void Begin()
    {
        Debug.Assert(Content.IsEmpty, "A journal file is used again only once it is empty.");
        var use = Guid.NewGuid();
        var header = JournalText.Header(folder.Id!.Value, use);
        Open().Write(header, 0);
        Content.Begin(use, header);
    }

    /// <summary>Writes a group at the end and makes it durable.</summary>
    /// <exception cref="FileSystemException">It could not be written, and nothing of it is left; or the file was deleted.</exception>
    /// <exception cref="DiskStateUnknownException">It could not be made durable, or not be removed after a failure.</exception>
    public void Write(ReadOnlySpan<byte> group)
    {
        var opened = Open();
        var end = Content.End + group.Length;
        if (end > length)
            Fill(length, Math.Max(2 * length, end + settings.FileLength));
        try
        {
            opened.Write(group, Content.End);
        }
        catch (FileSystemException)
        {
            Remove(Content.End, group.Length);
            throw;
        }
        folder.MakeDurable(opened, static each => each.FlushBytes());
    }

    /// <summary>Reads the text of an event.</summary>
    public byte[] Read(in JournalLine line)
    {
        var text = new byte[line.Length];
        var read = Read(text, line.Offset);
        return read == text.Length ? text : text[..read];
    }

    /// <summary>Reads bytes of the file; none when it does not exist.</summary>
    public int Read(Span<byte> buffer, long offset) =>
        folder.Volume.IsNetwork ? fileSystem.ReadPastCache(Path, buffer, offset) ?? 0 : file?.Read(buffer, offset) ?? 0;

    /// <summary>Empties the file. Not durable by itself: groups that a power cut brings back have their event files.</summary>
    public void Empty(StoreLock.Held held)
    {
        held.AssertIsHeld();
        if (Content.End == 0 || file is null)
            return;
        var end = Content.End;
        // Order matters: whatever fails from here on, the file is read again before it is used.
        Content = New(folder, number);
        Fill(0, end);
        if (length > settings.FileLengthKept)
        {
            file.SetLength(settings.FileLength);
            length = settings.FileLength;
        }
        // Order matters: another machine that takes the lock next reads from the server.
        if (folder.Volume.IsNetwork)
            file.Flush();
    }

    /// <summary>Makes durable that the file is empty.</summary>
    public void FlushEmpty()
    {
        if (file is null)
            return;
        Fill(0, length);
        file.Flush();
    }

    public void Dispose()
    {
        file?.Dispose();
        file = null;
    }

    private static JournalContent New(StoreFolder folder, int number) => new(number, folder.Id ?? Guid.Empty);

    private Guid ReadUse()
    {
        Span<byte> header = stackalloc byte[JournalText.HeaderLength];
        return JournalText.TryReadHeader(header[..Read(header, 0)], out _, out var use) ? use : Guid.Empty;
    }

    // A file without a name would be lost with the process.
    private IFile Open()
    {
        file ??= fileSystem.Open(Path, FileOpening.ReadWriteOrCreate)!;
        return file.IsUnlinked()
            ? throw new FileSystemException(FileError.Moved, "write", Path, "it was deleted or replaced while the store is open.")
            : file;
    }

    private void Remove(long offset, int count)
    {
        try
        {
            // A full disk that copies on write refuses blanks as well, and mostly nothing was written.
            if (!IsBlank(offset, count))
                Fill(offset, offset + count);
        }
        catch (FileSystemException e)
        {
            throw new DiskStateUnknownException(e);
        }
    }

    private bool IsBlank(long offset, int count)
    {
        var bytes = new byte[count];
        return file!.Read(bytes, offset) == count && !bytes.AsSpan().ContainsAnyExcept(JournalText.Blank);
    }

    private void Fill(long from, long to)
    {
        for (var at = from; at < to; at += blanks.Length)
            file!.Write(blanks.AsSpan(0, (int)Math.Min(blanks.Length, to - at)), at);
        length = Math.Max(length, to);
    }

    private static byte[] MakeBlanks()
    {
        var made = new byte[64 * 1024];
        made.AsSpan().Fill(JournalText.Blank);
        return made;
    }
}
