using System.Globalization;
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
    private readonly LockFile file;
    private readonly byte[] text;
    private long nextNumber;

    private Leadership(ProjectionHost host, ProjectionLayout layout, LockFile file, long takenNumber)
    {
        this.host = host;
        this.layout = layout;
        this.file = file;
        Term = nextNumber = takenNumber + 1;
        text = TextOf(LockFile.NewMark(), host.Clock.GetUtcNow().UtcDateTime, takenNumber + Numbers);
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
        var file = new LockFile(fileSystem, host.Volume, layout.LockFile);
        try
        {
            if (file.Handle.TryLock(LockByte.Offset))
            {
                var leadership = new Leadership(host, layout, file, NumberTaken(host, layout, file));
                // Order matters: the numbers are taken for good before the first of them is used.
                leadership.WriteText();
                return leadership;
            }
        }
        catch
        {
            file.Dispose();
            throw;
        }
        file.Dispose();
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
            if (file.IsReplaced)
                throw new LeadershipLostException($"{layout.LockFile} is not the file any more that this process has locked: it was moved or deleted, or another was put in its place.");
            return;
        }
        var read = new byte[TextLength];
        if (file.ReadPastCache(read) is not { } length || !read.AsSpan(0, length).SequenceEqual(text))
            throw new LeadershipLostException($"{layout.LockFile} no longer carries this process's mark.");
    }

    /// <summary>Closing the handle frees the byte.</summary>
    public void Dispose() => file.Dispose();

    private void WriteText()
    {
        // Order matters: with the server, or on the disk, before the lock can be another's, also when this process ends now.
        file.Write(text, 0);
        if (!host.Volume.CachesIgnoreLocks)
            file.Handle.Flush();
    }

    private static long NumberTaken(ProjectionHost host, ProjectionLayout layout, LockFile file)
    {
        var fileSystem = host.FileSystem;
        var read = new byte[TextLength];
        var length = (host.Volume.CachesIgnoreLocks ? file.ReadPastCache(read) : null) ?? file.Handle.Read(read, 0);
        var known = Encoding.UTF8.GetString(read, 0, length);
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
