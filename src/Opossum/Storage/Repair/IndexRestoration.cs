using Opossum.Maintenance;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Repair;

/// <summary>Restores missing or bad event files from their lines.</summary>
internal sealed class IndexRestoration(StoreUnderRepair store)
{
    public RepairReport Run()
    {
        if (!store.HasIndex)
        {
            throw new StoreMaintenanceException(store.Layout.Index,
                $"{store.Layout.Index} holds no index of this store, so there is nothing to restore from. Nothing was changed.");
        }

        var restorable = new List<long>();
        var lost = new List<long>();
        foreach (var (position, reading) in store.EventFiles.Batches.ReadRange(1, store.Index.Head, store.EventFiles.ReadOrProblem))
        {
            store.ReportProgress(position, store.Index.Head);
            if (reading.IsOutOfReach)
                throw store.OutOfReach(position, reading);
            if (reading.Stored is null)
                (store.ReadStored(position) is null ? lost : restorable).Add(position);
            else if (store.ReadChecksum(position) is { } checksum && reading.Stored.Checksum != checksum && !IsOfLine(reading.Stored))
                throw IsAnothers(position);
        }
        if (restorable.Count == 0 && lost.Count > 0)
            throw new StoreMaintenanceException(store.EventFiles.PathOf(lost[0]), $"Nothing was changed. {WhatIsLost(lost)}");

        store.Unseal(restorable);
        var listed = store.List();
        // The bad files are moved away first, or their names would still be taken.
        store.SetAside(restorable.FindAll(position => listed.BinarySearch(position) >= 0));
        store.CreateEventFiles(restorable, store.ReadText);
        var outcome = restorable.Count == 0 ? RepairOutcome.NothingToDo : RepairOutcome.FilesRestored;
        return store.Report(Remedy.RestoreFromIndex, outcome, restorable, lost, lost.Count == 0 ? null : WhatIsLost(lost));
    }

    // The line may have the event as it was before it was redacted, or edited beside a file that is missing: then the index was not rebuilt.
    private bool IsOfLine(StoredEvent stored) => Redaction.IsOf(stored)
        || (store.ReadStored(stored.Position) is { } line && line.IsOfSameOrigin(stored));

    private static string WhatIsLost(List<long> positions) =>
        $"The event files of {PositionList.InWords(positions)} are missing or bad, and the index has no intact copy of them. Restore "
            + "them from a folder that has them.";

    private StoreMaintenanceException IsAnothers(long position) => new(store.EventFiles.PathOf(position),
        $"The index does not belong to these event files: {store.EventFiles.PathOf(position)} is valid, and the index has another event there. "
            + "Nothing was changed. Rebuild the index.");
}
