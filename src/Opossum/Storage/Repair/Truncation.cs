using Opossum.Maintenance;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Repair;

/// <summary>Cuts off all events after a position and keeps what it cuts in Quarantine.</summary>
internal sealed class Truncation(StoreUnderRepair store, long after)
{
    public RepairReport Run()
    {
        var cut = store.List().FindAll(position => position > after);
        ThrowIfNoEnd();
        if (cut.Count == 0 && store.EndsAt(after))
        {
            // The process that cut the store off may have ended before it did this: a power cut could bring back the former index.
            store.Index.Flush();
            return store.Report(Remedy.Truncate, RepairOutcome.NothingToDo);
        }
        // The folder in which the store ends from now on: of its sealed file, the end may be missing.
        store.Unseal([after + 1, .. cut]);
        Keep(cut);
        // Order matters: until all files are cut off, the index or what is left proves what is missing, or a half-cut
        // store could pass for a whole one.
        store.ReplaceIndex();
        return store.Report(Remedy.Truncate, RepairOutcome.Truncated);
    }

    private void Keep(List<long> cut)
    {
        // The index may hold the only copy of a missing or bad file, and the index is about to be deleted.
        var copied = new List<long>();
        for (var position = after + 1; store.HasIndex && position <= store.Index.Head; position++)
        {
            var reading = store.EventFiles.ReadOrProblem(position);
            if (reading.IsOutOfReach)
                throw store.OutOfReach(position, reading);
            if (reading.Stored is null && store.ReadStored(position) is not null)
                copied.Add(position);
        }
        store.KeepCopies(copied, store.ReadText);
        store.SetAside(cut.FindAll(position => copied.BinarySearch(position) >= 0), StoreLayout.BadEnding);
        store.SetAside(cut.FindAll(position => copied.BinarySearch(position) < 0));
    }

    private void ThrowIfNoEnd()
    {
        var reader = new CommitReader(store.EventFiles, 0, after);
        var whole = 0L;
        foreach (var some in reader.ReadWhole().SelectMany(static some => some))
        {
            store.ReportProgress(some.Position, after);
            if (some.Position == some.Commit.Last)
                whole = some.Position;
        }
        if (whole == after)
            return;
        var problem = reader.Problem!;
        var where = problem.Position <= after
            ? $"{store.EventFiles.PathOf(problem.Position)} {problem.What}"
            : $"position {after} lies inside the append of positions {whole + 1} to {store.EventFiles.Read(after, out _)!.Commit.Last}";
        throw new StoreMaintenanceException(store.EventFiles.PathOf(problem.Position),
            $"The store was not cut after position {after}: {where}. Everything up to position {whole} is whole, so it can be cut there. Nothing "
                + "was changed.");
    }
}
