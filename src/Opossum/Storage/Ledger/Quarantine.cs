using System.Diagnostics;
using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Ledger;

/// <summary>The folder for files that were set aside: a subfolder each time, named by the time. The store never deletes from it.</summary>
/// <param name="keepsToOne">Whether all goes into one subfolder, as in a repair, whose report names it.</param>
internal sealed class Quarantine(StoreFolder folder, TimeProvider clock, bool keepsToOne = false)
{
    private const string StampFormat = "yyyyMMdd'T'HHmmss.fff'Z'";
    private const int StampLength = 20;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly List<long> taken = [];

    /// <summary>The positions of all files put there, in the order in which they were put there.</summary>
    public IReadOnlyList<long> Taken => taken;

    /// <summary>The last subfolder created; null when none was.</summary>
    public string? Folder { get; private set; }

    /// <summary>Describes the Quarantine folder of a store; null when it is empty.</summary>
    public static QuarantineContent? Find(IFileSystem fileSystem, StoreLayout layout)
    {
        DateTimeOffset? since = null;
        long? files = 0;
        try
        {
            foreach (var path in List(fileSystem, layout.Quarantine))
            {
                var inside = fileSystem.GetKind(path) == EntryKind.Folder ? List(fileSystem, path).Count : 1;
                if (inside > 0 && TryParseStamp(Path.GetFileName(path), out var stamp) && (since is null || stamp < since))
                    since = stamp;
                files += inside;
            }
        }
        catch (FileSystemException)
        {
            // The report says that there are files, but not how many.
            files = null;
        }
        return files == 0 ? null : new QuarantineContent { Folder = layout.Quarantine, Files = files, Since = since };
    }

    /// <summary>The last subfolder created; creates one when none was.</summary>
    public string UseFolder() => Folder ?? CreateFolder();

    /// <summary>The subfolder for what a crash left: another one each time, unless all goes into one, which has none of the names yet.</summary>
    public string UseFolderFor(IEnumerable<long> positions) =>
        keepsToOne && Folder is not null && !taken.Intersect(positions).Any() ? Folder : CreateFolder();

    private string CreateFolder()
    {
        var stamp = clock.GetUtcNow().ToString(StampFormat, CultureInfo.InvariantCulture);
        fileSystem.CreateFolder(layout.Quarantine);
        for (var number = 1; ; number++)
        {
            var folder = FilePath.Join(layout.Quarantine, number == 1 ? stamp : string.Create(CultureInfo.InvariantCulture, $"{stamp}-{number}"));
            if (fileSystem.GetKind(folder) != EntryKind.Missing)
                continue;
            fileSystem.CreateFolder(folder);
            fileSystem.FlushFolder(layout.Quarantine);
            fileSystem.FlushFolder(layout.Root);
            return Folder = folder;
        }
    }

    /// <summary>Moves event files into such a folder.</summary>
    /// <param name="positions">The positions, ascending.</param>
    /// <param name="ending">A suffix for the names there.</param>
    public void MoveIn(IReadOnlyList<long> positions, string folder, StoreLock.Held held, string ending = "")
    {
        held.AssertIsHeld();
        Debug.Assert(positions.SequenceEqual(positions.Order()),
            "Files are set aside from the last position to the first, so the positions have to be ascending.");
        taken.AddRange(positions);
        // Last first: after a crash in between, the rest is still incomplete and is set aside next time.
        for (var at = positions.Count - 1; at >= 0; at--)
            Move(layout.EventFile(positions[at]), FilePath.Join(folder, StoreLayout.EventFileName(positions[at]) + ending));
        // Order matters: durable before the names are reused, or a power cut could bring back the old files under them.
        fileSystem.FlushFolder(folder);
        foreach (var shard in positions.Select(layout.ShardOf).Distinct())
            fileSystem.FlushFolder(layout.ShardFolder(shard));
    }

    /// <summary>Writes the content of positions into such a folder, durably.</summary>
    /// <param name="read">Returns the bytes to write for a position.</param>
    /// <param name="ending">A suffix for the names there.</param>
    public void Keep(IReadOnlyList<long> positions, Func<long, byte[]> read, string folder, string ending = "")
    {
        taken.AddRange(positions);
        fileSystem.ForEach(positions.Count, at =>
        {
            var path = FilePath.Join(folder, StoreLayout.EventFileName(positions[at]) + ending);
            using var file = fileSystem.CreateNew(path)
                ?? throw new FileSystemException(FileError.Other, "create", path, "a file of that name exists already.");
            file.Write(read(positions[at]), 0);
            file.Flush();
        });
        fileSystem.FlushFolder(folder);
    }

    private static List<string> List(IFileSystem fileSystem, string folder) =>
        fileSystem.ListIfThere(folder).FindAll(static name => !StoreLayout.IsHarmlessName(name))
            .ConvertAll(name => FilePath.Join(folder, name));

    private static bool TryParseStamp(string name, out DateTimeOffset stamp) => DateTimeOffset.TryParseExact(
        name.AsSpan(0, Math.Min(name.Length, StampLength)), StampFormat, CultureInfo.InvariantCulture,
        DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out stamp);

    private void Move(string from, string to)
    {
        fileSystem.Move(from, to);
        try
        {
            // The process that wrote it may have ended before flushing it. On a share this flush, not the folder's, also makes the new name durable.
            DurableFile.FlushBytes(fileSystem, to);
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            // It holds no bytes of an event.
        }
    }
}
