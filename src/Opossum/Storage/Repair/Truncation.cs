using Opossum.Storage.Ledger;

namespace Opossum.Storage.Repair;

/// <summary>Cuts off all events behind a position, and keeps what it cuts.</summary>
internal sealed class Truncation(StoreUnderRepair store, long after)
{
    public StoreRepairReport Run()
    {
        var cut = store.List().FindAll(position => position > after);
        ThrowIfNoEnd();
        Keep(cut);
        // Order matters: until all is cut off, the index names what is missing, or what is left proves it. So nobody takes half of it for the whole.
        store.MakeIndexAnew();
        return store.Report($"The store ends with position {after} now.", []);
    }

    private void Keep(List<long> cut)
    {
        // Where a file is missing or bad, the index may have what it held. That would go with the index.
        var copied = new List<long>();
        for (var position = after + 1; store.HasIndex && position <= store.Index.Head; position++)
        {
            var reading = store.EventFiles.ReadOrProblem(position);
            if (reading.IsOutOfReach)
                throw store.OutOfReach(position, reading);
            if (reading.Stored is null && store.ReadCopyText(position) is not null)
                copied.Add(position);
        }
        store.KeepCopies(copied);
        store.SetAside(cut.FindAll(position => copied.BinarySearch(position) >= 0), StoreLayout.BadEnding);
        store.SetAside(cut.FindAll(position => copied.BinarySearch(position) < 0));
    }

    private void ThrowIfNoEnd()
    {
        var reader = new CommitReader(store.EventFiles, 0, after);
        var whole = 0L;
        foreach (var some in reader.ReadWhole())
            whole = some[^1].Position;
        if (whole == after)
            return;
        var problem = reader.Problem!;
        var where = problem.Position <= after
            ? $"{store.EventFiles.PathOf(problem.Position)} {problem.What}"
            : $"position {after} lies inside the append of positions {whole + 1} to {store.EventFiles.Read(after, out _)!.Commit.Last}";
        throw new StoreRepairException(store.EventFiles.PathOf(problem.Position),
            $"The store was not cut behind position {after}: {where}. Up to position {whole} all is whole, so it can be cut there. Nothing was changed.");
    }
}
