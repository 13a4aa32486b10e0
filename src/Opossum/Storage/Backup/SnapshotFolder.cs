using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Failures;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Backup;

/// <summary>A folder of snapshots: their names, what they hold, and how one appears in it and goes.</summary>
internal sealed class SnapshotFolder(IFileSystem fileSystem, StoreLayout layout)
{
    // No colons, which Windows does not allow.
    private const string NameFormat = "yyyy-MM-dd'T'HH-mm-ss'Z'";
    private const string StagingName = "snapshot.new";
    private const string RemovedEnding = ".removed";
    private const int FilesAtOnce = 1_000;

    /// <summary>The folder in which a snapshot is made before it has its name.</summary>
    public string Staging => FilePath.Join(layout.Root, StagingName);

    public string PathOf(DateTimeOffset time) =>
        FilePath.Join(layout.Root, time.UtcDateTime.ToString(NameFormat, CultureInfo.InvariantCulture));

    /// <summary>All snapshots, oldest first.</summary>
    /// <exception cref="StoreOpenException">There is no such folder, or it is a store itself.</exception>
    public IReadOnlyList<Snapshot> List()
    {
        if (fileSystem.GetKind(layout.Root) != EntryKind.Folder)
        {
            throw new StoreOpenException(layout.Root,
                $"{layout.Root} is no folder, so there are no snapshots in it. Check the path.");
        }
        if (IsStore)
        {
            throw new StoreOpenException(layout.Root, $"{layout.Root} is itself a store or a backup, and no folder of "
                + "snapshots. It can be restored as it was at any time: opossum restore --until.");
        }
        return [.. Names().Select(each => Read(FilePath.Join(layout.Root, each.Name), each.Time))];
    }

    /// <summary>Whether it is a store, or a backup that grows.</summary>
    public bool IsStore => fileSystem.GetKind(layout.StoreFile) != EntryKind.Missing
        || fileSystem.GetKind(layout.Events) != EntryKind.Missing;

    /// <summary>The first time from the given one on, in whole seconds, whose name is free.</summary>
    public DateTimeOffset FreeTime(DateTimeOffset time)
    {
        time = new DateTimeOffset(time.UtcTicks / TimeSpan.TicksPerSecond * TimeSpan.TicksPerSecond, TimeSpan.Zero);
        while (fileSystem.GetKind(PathOf(time)) != EntryKind.Missing)
            time = time.AddSeconds(1);
        return time;
    }

    /// <summary>Gives a copy that is whole its name.</summary>
    /// <exception cref="LockLostException">The duty was lost: another machine may make a snapshot there.</exception>
    public void Publish(DateTimeOffset time, StoreDuty duty, CancellationToken cancellationToken)
    {
        duty.ThrowIfLost();
        // It is not durable, and says what nobody asks: nothing is appended there.
        fileSystem.Delete(layout.At(Staging).LockFile);
        fileSystem.MoveFolder(Staging, PathOf(time), () =>
        {
            cancellationToken.ThrowIfCancellationRequested();
            duty.ThrowIfLost();
        });
    }

    public void MakeDurable(DateTimeOffset time) => FlushName(PathOf(time));

    /// <summary>Removes a snapshot. Interrupted at any moment, it is whole or not listed.</summary>
    /// <exception cref="FileSystemException">It, or a part of it, could not be removed.</exception>
    /// <exception cref="LockLostException">The duty was lost. It is there.</exception>
    public void Remove(Snapshot snapshot, StoreDuty duty, CancellationToken cancellationToken)
    {
        duty.ThrowIfLost();
        var removed = snapshot.Path + RemovedEnding;
        fileSystem.MoveFolder(snapshot.Path, removed);
        RemoveFolder(removed, cancellationToken);
    }

    /// <summary>Removes the copy that an interrupted run left, and what was left of snapshots that were being removed.</summary>
    /// <returns>What is still there, and why, as sentences: it must not keep a new snapshot from being made.</returns>
    /// <exception cref="FileSystemException">The copy could not be taken from its name.</exception>
    /// <exception cref="LockLostException">The duty was lost. Nothing was removed.</exception>
    public List<string> RemoveLeftovers(StoreDuty duty, CancellationToken cancellationToken)
    {
        List<string> problems = [];
        if (fileSystem.GetKind(Staging) != EntryKind.Missing)
        {
            duty.ThrowIfLost();
            // Before the first file goes, or a machine that has lost its duty by then would remove another one's copy.
            fileSystem.MoveFolder(Staging, $"{Staging}.{Guid.NewGuid():N}{RemovedEnding}");
        }
        foreach (var path in fileSystem.List(layout.Root).Where(IsRemoved).Select(name => FilePath.Join(layout.Root, name)))
        {
            try
            {
                RemoveFolder(path, cancellationToken);
            }
            catch (FileSystemException e)
            {
                problems.Add($"{path} was not removed: {e.Message} The next run tries again.");
            }
        }
        return problems;
    }

    private IEnumerable<(string Name, DateTimeOffset Time)> Names()
    {
        foreach (var name in fileSystem.List(layout.Root).Order(StringComparer.Ordinal))
        {
            var kind = fileSystem.GetKind(FilePath.Join(layout.Root, name));
            if (kind == EntryKind.Folder && TryParse(name, out var time))
                yield return (name, time);
        }
    }

    private static bool IsRemoved(string name) => name.EndsWith(RemovedEnding, StringComparison.Ordinal)
        && (TryParse(name[..^RemovedEnding.Length], out _) || name.StartsWith($"{StagingName}.", StringComparison.Ordinal));

    private static bool TryParse(string name, out DateTimeOffset time) => DateTimeOffset.TryParseExact(name, NameFormat,
        CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out time);

    private Snapshot Read(string path, DateTimeOffset time)
    {
        var snapshot = new Snapshot { Path = path, Time = time };
        try
        {
            var folder = new StoreFolder(fileSystem, layout.At(path), forReading: true);
            if (FindOtherUse(folder) is { } problem)
                return snapshot with { Problem = problem };
            if (folder.Read() is not { } storeFile)
                return snapshot with { Problem = $"has no {StoreLayout.StoreFileName}, so it is not whole" };
            snapshot = snapshot with { StoreId = storeFile.Id, Term = storeFile.Term };
            if (!folder.HasEvents)
                return snapshot with { Problem = $"has no folder {StoreLayout.EventsFolderName}, so it is not whole" };
            using var eventFiles = new EventFiles(folder);
            if (eventFiles.Listing.Newest() is not (> 0 and var head))
                return snapshot;
            return eventFiles.Read(head, out var bad) is { } last
                ? snapshot with { Head = head, LastEventAt = new DateTimeOffset(last.TimestampTicks, TimeSpan.Zero) }
                : snapshot with { Problem = $"has a bad event file at position {head}, which {bad}" };
        }
        catch (Exception e) when (e is FileSystemException or StoreOpenException)
        {
            return snapshot with { Problem = $"cannot be read: {e.Message}" };
        }
    }

    // What a person put there is never removed: a link, a store that was opened, other files.
    private string? FindOtherUse(StoreFolder folder)
    {
        if (fileSystem.IsLink(folder.Root))
            return "is a link";
        if (fileSystem.GetKind(folder.Layout.Index) != EntryKind.Missing)
            return "was opened as a store";
        return StoreLayout.FindForeignName(fileSystem.List(folder.Root)) is { } name
            ? $"holds \"{name}\", which is no part of a backup"
            : null;
    }

    private void FlushName(string path)
    {
        // On a share the flush of a file makes the names of its folders durable.
        DurableFile.TryFlush(fileSystem, layout.At(path).StoreFile);
        fileSystem.FlushFolder(layout.Root);
    }

    private void RemoveFolder(string path, CancellationToken cancellationToken)
    {
        // Order matters: before the first file goes, or a power cut could bring a snapshot's name back without it.
        FlushName(path);
        for (var isRemoved = false; !isRemoved;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var filesLeft = FilesAtOnce;
            isRemoved = fileSystem.RemoveFolder(path, ref filesLeft);
        }
    }
}
