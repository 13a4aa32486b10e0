using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Projections.States;

namespace Opossum.Projections.Leading;

/// <summary>The lead of a projection, while it lasts: the locked byte of its lock file, whose text names the leader and numbers its term.</summary>
internal sealed class Leadership : IDisposable
{
    /// <summary>So many numbers belong to a term, of which the first is its own. They are never used again.</summary>
    public const int Numbers = 100;

    private const int TextLength = 512;
    private const string NumberLabel = "numbers are taken up to ";

    private readonly ProjectionHost host;
    private readonly ProjectionLayout layout;
    private readonly IFile handle;
    private readonly KeptUncachedFile uncached;
    private readonly byte[] text;
    private readonly FileId? id;
    private long nextNumber;

    private Leadership(ProjectionHost host, ProjectionLayout layout, IFile handle, long takenNumber)
    {
        this.host = host;
        this.layout = layout;
        this.handle = handle;
        // On a share it would be a round trip more, and there the mark is asked for.
        id = host.Volume.IsNetwork ? null : handle.GetId();
        uncached = new KeptUncachedFile(host.FileSystem, layout.LockFile);
        Term = nextNumber = takenNumber + 1;
        text = TextOf(Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16)), host.Clock.GetUtcNow().UtcDateTime, takenNumber + Numbers);
    }

    /// <summary>The number of this term: higher than any before.</summary>
    public long Term { get; }

    /// <summary>Takes the lead; null when another has it.</summary>
    public static Leadership? TryTake(ProjectionHost host, ProjectionLayout layout)
    {
        var fileSystem = host.FileSystem;
        // Order matters: before anything is looked for by its path. Another store could be there, with states of its own.
        host.ThrowIfMoved();
        fileSystem.ThrowIfLink(host.Folder);
        fileSystem.ThrowIfLink(layout.Root);
        if (fileSystem.GetKind(layout.Root) == EntryKind.Missing)
        {
            fileSystem.CreateOwnFolder(host.Folder);
            fileSystem.FlushFolder(host.StoreRoot);
            fileSystem.CreateOwnFolder(layout.Root);
            fileSystem.FlushFolder(host.Folder);
        }
        var handle = fileSystem.Open(layout.LockFile, FileOpening.LockOrCreate)!;
        try
        {
            if (handle.TryLock(LockByte.Offset))
            {
                var leadership = new Leadership(host, layout, handle, NumberTaken(host, layout, handle));
                // Order matters: the numbers are taken for good before the first of them is used.
                leadership.WriteText();
                return leadership;
            }
        }
        catch
        {
            handle.Dispose();
            throw;
        }
        handle.Dispose();
        return null;
    }

    /// <summary>The next number for a generation.</summary>
    /// <exception cref="LeadershipLostException">All numbers of the term are used.</exception>
    public long TakeNumber() => nextNumber < Term + Numbers ? nextNumber++ : throw new LeadershipLostException("The numbers of this term are used up.");

    /// <summary>
    /// Makes sure that the lock file is still the one that is locked: somebody may have put another in its place, or another folder with one. On
    /// a network file system that it still carries this leader's mark, asked of the server itself: there a lock can be lost without a word
    /// while its holder goes on.
    /// </summary>
    /// <exception cref="LeadershipLostException">It does not.</exception>
    public void ThrowIfLost()
    {
        if (!host.Volume.IsNetwork)
        {
            if (host.FileSystem.FindId(layout.LockFile) != id)
                throw new LeadershipLostException($"{layout.LockFile} is not the file any more that this process has locked: it was moved or deleted, or another was put in its place.");
            return;
        }
        var read = new byte[TextLength];
        if (uncached.Read(read, 0) is not { } length || !read.AsSpan(0, length).SequenceEqual(text))
            throw new LeadershipLostException($"{layout.LockFile} no longer carries this process's mark.");
    }

    /// <summary>Closing the handle frees the byte.</summary>
    public void Dispose()
    {
        handle.Dispose();
        uncached.Dispose();
    }

    private void WriteText()
    {
        if (!host.Volume.CachesIgnoreLocks)
        {
            handle.Write(text, 0);
            handle.Flush();
            return;
        }
        // Order matters: with the server before the lock can be another's, also when this process ends now.
        using var writable = host.FileSystem.Open(layout.LockFile, FileOpening.WriteThrough)
            ?? throw new LeadershipLostException($"{layout.LockFile} was removed.");
        writable.Write(text, 0);
    }

    private static long NumberTaken(ProjectionHost host, ProjectionLayout layout, IFile handle)
    {
        var fileSystem = host.FileSystem;
        var read = new byte[TextLength];
        using var server = host.Volume.CachesIgnoreLocks ? fileSystem.OpenUncached(layout.LockFile) : null;
        var known = Encoding.UTF8.GetString(read, 0, server?.Read(read, 0) ?? handle.Read(read, 0));
        var number = 0L;
        if (known.StartsWith(NumberLabel, StringComparison.Ordinal) && known.IndexOf('\n', StringComparison.Ordinal) is > 0 and var end)
            _ = long.TryParse(known.AsSpan(NumberLabel.Length, end - NumberLabel.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number);
        // What is higher was not written by a leader.
        number = number <= ProjectionLayout.NumberMax ? number : 0;
        // Somebody may have deleted the lock file.
        foreach (var name in fileSystem.List(layout.Root))
        {
            if (Generation.Parse(layout.Root, name) is { } generation)
                number = Math.Max(number, generation.Number);
        }
        return number + Numbers <= ProjectionLayout.NumberMax ? number
            : throw new FileSystemException(FileError.Other, "give a higher number than those in", layout.Root, "a name in it, or its lock file, has one that no leader has given");
    }

    private static byte[] TextOf(string mark, DateTime since, long numberTaken)
    {
        var bytes = new byte[TextLength];
        bytes.AsSpan().Fill((byte)' ');
        bytes[^1] = (byte)'\n';
        var lines = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{NumberLabel}{numberTaken}\nmark {mark}\nled by {ThisProcess.Description} since {since:O}"));
        lines.AsSpan(0, Math.Min(lines.Length, TextLength - 1)).CopyTo(bytes);
        return bytes;
    }
}
