using System.Globalization;
using System.Text;
using Opossum.Diagnostics;
using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>
/// The lead of a folder's work among processes: a locked byte of its lock file, whose text contains the leader and the number of its term.
/// </summary>
internal sealed class Leadership : IDisposable
{
    /// <summary>The numbers that belong to a term; the first is the term's own number. They are never used again.</summary>
    public const int Numbers = 100;

    private const int TextLength = 512;
    private const string NumberLabel = "numbers are taken up to ";

    private readonly FollowerHost host;
    private readonly LedFolder layout;
    private readonly LockFile file;
    private readonly byte[] text;
    // A rebuild looks on a thread of its own, and the file is read by one thread at a time.
    private readonly Lock reading = new();
    private long nextNumber;

    private Leadership(FollowerHost host, LedFolder layout, LockFile file, long takenNumber)
    {
        this.host = host;
        this.layout = layout;
        this.file = file;
        Term = nextNumber = takenNumber + 1;
        text = TextOf(LockFile.NewMark(), host.Clock.GetUtcNow().UtcDateTime, takenNumber + Numbers);
    }

    /// <summary>The number of this term, higher than that of every former term.</summary>
    public long Term { get; }

    /// <summary>Takes the lead; null if another process has it.</summary>
    public static Leadership? TryTake(FollowerHost host, LedFolder layout)
    {
        var fileSystem = host.FileSystem;
        // Before any other access by path: another store, with its own states, could be at the path.
        host.ThrowIfMoved();
        fileSystem.ThrowIfLink(host.Folder);
        fileSystem.ThrowIfLink(layout.Root);
        if (fileSystem.GetKind(layout.Root) == EntryKind.Missing)
        {
            fileSystem.CreateOwnFolder(host.Folder);
            fileSystem.CreateOwnFolder(layout.Root);
        }
        var file = new LockFile(fileSystem, host.Volume, layout.LockFile);
        try
        {
            if (file.Handle.TryLock(LockByte.Offset))
            {
                var leadership = new Leadership(host, layout, file, NumberTaken(host, layout, file));
                // Also where the folders were there: the process that created them may have ended before flushing their names.
                if (!host.Volume.FileFlushCoversName)
                {
                    fileSystem.FlushFolder(host.StoreRoot);
                    fileSystem.FlushFolder(host.Folder);
                }
                // Order matters: after a power cut, a number that is used and not taken would be given again.
                file.WriteOut(leadership.text);
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

    /// <summary>Takes the lead and begins a term; null if another process has the lead, or if no term begins.</summary>
    public static async ValueTask<TTerm?> BeginAsync<TTerm>(FollowerHost host, LedFolder layout, Func<Leadership, ValueTask<TTerm?>> begin)
        where TTerm : class
    {
        if (TryTake(host, layout) is not { } leadership)
            return null;
        TTerm? term = null;
        try
        {
            return term = await begin(leadership).ConfigureAwait(false);
        }
        finally
        {
            if (term is null)
                leadership.Dispose();
        }
    }

    /// <summary>The next number for a folder's name.</summary>
    /// <exception cref="LeadershipLostException">All numbers of the term are used.</exception>
    public long TakeNumber() =>
        nextNumber < Term + Numbers ? nextNumber++ : throw new LeadershipLostException("The numbers of this term are used up.");

    /// <summary>
    /// Throws unless the lock file is still the file that this process has locked: the file or its folder may have been replaced. On a network file
    /// system it throws unless the file, read from the server, still carries this leader's mark: there a lock can be lost silently while its holder
    /// continues.
    /// </summary>
    /// <exception cref="LeadershipLostException">The lock file was replaced, or no longer carries the mark.</exception>
    public void ThrowIfLost()
    {
        if (!host.Volume.LockMayBeLost)
        {
            if (file.IsReplaced)
            {
                throw new LeadershipLostException($"{layout.LockFile} is no longer the file that this process has locked: it was moved, deleted "
                    + "or replaced.");
            }

            return;
        }
        bool isOurs;
        lock (reading)
            isOurs = file.Carries(text);
        if (!isOurs)
            throw new LeadershipLostException($"{layout.LockFile} no longer carries this process's mark.");
    }

    /// <summary>Frees the lead by closing the handle.</summary>
    public void Dispose() => file.Dispose();

    private static long NumberTaken(FollowerHost host, LedFolder layout, LockFile file)
    {
        var fileSystem = host.FileSystem;
        var read = new byte[TextLength];
        var length = (host.Volume.CachesIgnoreLocks ? file.ReadPastCache(read) : null) ?? file.Handle.Read(read, 0);
        var known = Encoding.UTF8.GetString(read, 0, length);
        var number = 0L;
        if (known.StartsWith(NumberLabel, StringComparison.Ordinal) && known.IndexOf('\n', StringComparison.Ordinal) is > 0 and var end)
        {
            _ = long.TryParse(known.AsSpan(NumberLabel.Length, end - NumberLabel.Length), NumberStyles.None, CultureInfo.InvariantCulture,
                out number);
        }
        // No leader writes a higher number.
        number = number <= NumberedName.NumberMax ? number : 0;
        // The lock file may have been deleted. The term that has named a folder may have used each of its numbers for what is in it.
        var taken = fileSystem.List(layout.Root).Max(layout.NumberOf);
        number = Math.Max(number, (taken + Numbers - 1) ?? 0);
        return number + Numbers <= NumberedName.NumberMax ? number
            : throw new FileSystemException(FileError.Other, "give a higher number than those in", layout.Root,
            "a name in it, or its lock file, has a number that no leader has given");
    }

    private static byte[] TextOf(string mark, DateTime since, long numberTaken)
    {
        var bytes = new byte[TextLength];
        bytes.AsSpan().Fill((byte)' ');
        bytes[^1] = (byte)'\n';
        var lines =
            Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture,
                $"{NumberLabel}{numberTaken}\nmark {mark}\nled by {ThisProcess.Description} since {since:O}"));
        lines.AsSpan(0, Math.Min(lines.Length, TextLength - 1)).CopyTo(bytes);
        return bytes;
    }
}
