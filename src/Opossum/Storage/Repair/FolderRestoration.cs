using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Repair;

/// <summary>
/// Restores event files from a folder, which may have sealed files too: whole appends only, each directly after an append that the store has.
/// </summary>
internal sealed class FolderRestoration(StoreUnderRepair store, string folder) : IDisposable
{
    private readonly List<SealedFile> sealedFiles = [];
    private readonly Dictionary<long, (SealedFile File, string Path)> sealedPositions = [];

    // The events that the folder has and the store lacks, with the append that each names as its own.
    private readonly SortedDictionary<long, CommitRange> wanted = [];

    public RepairReport Run()
    {
        if (store.FileSystem.GetKind(folder) != EntryKind.Folder)
            throw new StoreMaintenanceException(folder, $"{folder} is not a folder. Nothing was changed.");
        var names = store.FileSystem.List(folder);
        if (!names.Exists(name => StoreLayout.TryParseEventFileName(name, out _) || store.Layout.TryParseSealedFileName(name, out _)))
        {
            throw new StoreMaintenanceException(folder, $"{folder} holds no event files; in a backup they are in "
                + $"{StoreLayout.EventsFolderName}/0000000000 and the folders beside it. Nothing was changed.");
        }
        for (var at = 0; at < names.Count; at++)
        {
            if (StoreLayout.TryParseEventFileName(names[at], out var position))
                Want(position);
            else if (store.Layout.TryParseSealedFileName(names[at], out var shard))
                WantSealed(FilePath.Join(folder, names[at]), shard);
            store.ReportProgress(at + 1, names.Count);
        }
        if (wanted.Count == 0)
            return store.Report(Remedy.RestoreFromFolder, RepairOutcome.NothingToDo, [], store.TryRecover());

        var restored = Choose(out var problem);
        if (restored.Count == 0)
            throw new StoreMaintenanceException(folder, $"Nothing was changed: {problem}");
        store.Unseal(restored);
        // Event files beside a sealed file with bad lines count now. They may be what is read here, or have been redacted since.
        var lacking = restored.FindAll(position => store.EventFiles.Read(position, out _) is not { } there || !IsOfSameOrigin(there));
        var listed = store.List();
        // The bad files are moved away first, or their names would still be taken.
        store.SetAside(lacking.FindAll(position => listed.BinarySearch(position) >= 0));
        // An intact line has the event as it is by now.
        store.CreateEventFiles(lacking, position => EventFile.TextOfLine(store.ReadStored(position)?.Line ?? CanonicalText.Of(ReadBytes(position)
            ?? throw new FileSystemException(FileError.NotFound, "read", PathOf(position), "it was there and no longer is"))));
        if (store.TryRecover() is { } damage)
            return store.Report(Remedy.RestoreFromFolder, RepairOutcome.FilesRestored, restored, damage);
        return store.Report(Remedy.RestoreFromFolder, RepairOutcome.FilesRestored, restored, [.. wanted.Keys.Except(restored)], problem);
    }

    public void Dispose() => sealedFiles.ForEach(static each => each.Dispose());

    private void WantSealed(string path, long shard)
    {
        if (store.FileSystem.Open(path, FileOpening.Read) is not { } file)
            return;
        var sealedFile = SealedFile.Of(file, store.Layout, shard);
        sealedFiles.Add(sealedFile);
        foreach (var position in sealedFile.Positions().Where(position => !wanted.ContainsKey(position)))
        {
            sealedPositions[position] = (sealedFile, path);
            Want(position);
        }
    }

    private void Want(long position)
    {
        if (ReadBytes(position) is { } bytes && store.EventFiles.Read(bytes, position, out _) is { } stored && IsMissing(stored))
            wanted.TryAdd(position, stored.Commit);
    }

    private bool IsOfSameOrigin(StoredEvent there) => ReadBytes(there.Position) is { } bytes
        && store.EventFiles.Read(bytes, there.Position, out _) is { } wanted && there.IsOfSameOrigin(wanted);

    private byte[]? ReadBytes(long position)
    {
        try
        {
            return sealedPositions.TryGetValue(position, out var place)
                ? place.File.FindLine(position)
                : store.EventFiles.ReadBytes(PathOf(position));
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return null;
        }
    }

    // The positions of whole appends that directly follow one in the store, ascending; and why the first of the other appends does not qualify.
    private List<long> Choose(out string? problem)
    {
        var chosen = new List<long>();
        problem = null;
        foreach (var commit in wanted.Values.Distinct())
        {
            if (WhyNotWhole(commit, chosen) is { } reason)
            {
                problem ??= reason;
                continue;
            }
            for (var position = commit.First; position <= commit.Last; position++)
            {
                if (wanted.ContainsKey(position))
                    chosen.Add(position);
            }
        }
        return chosen;
    }

    private string? WhyNotWhole(CommitRange commit, List<long> chosen)
    {
        var before = commit.First - 1;
        if (before > 0 && chosen.BinarySearch(before) < 0 && store.EventFiles.ReadOrProblem(before) is var neighbour
            && neighbour.Stored?.Commit.Last != before)
        {
            return $"the append of positions {commit.First} to {commit.Last} does not follow the one before it: {store.EventFiles.PathOf(before)} "
                + $"{neighbour.Problem ?? "belongs to another append"}.";
        }

        for (var position = commit.First; position <= commit.Last; position++)
        {
            var there = wanted.TryGetValue(position, out var known) ? known : store.EventFiles.ReadOrProblem(position).Stored?.Commit;
            if (there != commit)
            {
                return $"the append of positions {commit.First} to {commit.Last} is not whole: neither {folder} nor the store has a valid file of "
                    + $"position {position} that belongs to it.";
            }
        }
        return null;
    }

    // False: the store has it. An error: the store has another event at the position.
    private bool IsMissing(StoredEvent stored)
    {
        var reading = store.EventFiles.ReadOrProblem(stored.Position);
        if (reading.IsOutOfReach)
            throw store.OutOfReach(stored.Position, reading);
        // The folder may have the event as it was before a redaction, or before an edit that was accepted.
        if ((reading.Stored ?? store.ReadStored(stored.Position))?.IsOfSameOrigin(stored) == false)
        {
            throw new StoreMaintenanceException(PathOf(stored.Position),
                $"Position {stored.Position} belongs to another event: the store's event there is not the one in {PathOf(stored.Position)}. "
                    + "Nothing was changed.");
        }

        return reading.Stored is null;
    }

    private string PathOf(long position) =>
        sealedPositions.TryGetValue(position, out var place) ? place.Path : FilePath.Join(folder, StoreLayout.EventFileName(position));
}
