using Opossum.Maintenance;
using Opossum.Storage.Repair;

namespace Opossum.Tests.Repair;

/// <summary>The repairs, as the tests run them on a place.</summary>
internal static class Remedies
{
    public static RepairReport RebuildIndex(StoreUnderRepair store) => store.RebuildIndex();

    public static RepairReport RestoreFromIndex(StoreUnderRepair store) => new IndexRestoration(store).Run();

    public static Func<StoreUnderRepair, RepairReport> RestoreFrom(string folder) => store => StoreRepair.RestoreFromFolder(store, folder);

    public static Func<StoreUnderRepair, RepairReport> Accept(long position) => store => new EditAcceptance(store, position).Run();

    public static Func<StoreUnderRepair, RepairReport> Truncate(long after) => store => new Truncation(store, after).Run();

    public static Func<StoreUnderRepair, RedactionReport> Redact(TimeProvider clock, IEnumerable<long> positions, params string[] members) =>
        store => new Redaction(store, clock).Run(new RedactionOrder(positions, members, "The person asked for it."));

    public static Func<StoreUnderRepair, RedactionReport?> FinishRedaction(TimeProvider clock) => store => new Redaction(store, clock).Finish();

    /// <summary>Does what the findings of a check say until nothing is wrong any more.</summary>
    /// <param name="place">The store.</param>
    /// <param name="backup">A folder that has what neither the store nor its index has.</param>
    /// <returns>What was done.</returns>
    public static List<Remedy> ApplyAll(StorePlace place, string backup)
    {
        var done = new List<Remedy>();
        for (var report = place.Check(); !report.IsClean; report = place.Check())
        {
            // Event files first: the index is derived from them.
            var finding = report.Findings.FirstOrDefault(each => each.Remedy is not (Remedy.OpenStore or Remedy.RebuildIndex))
                ?? report.Findings[0];
            done.Add(finding.Remedy);
            Assert.True(done.Count < 10, $"{string.Join(", ", done)}: {report}");
            Apply(place, finding, backup);
        }
        return done;
    }

    /// <summary>Does what one finding says.</summary>
    /// <returns>Why that did not mend it, as the remedy says; null: it says no such thing.</returns>
    public static string? TryApply(StorePlace place, StoreFinding finding, string backup)
    {
        try
        {
            var report = Apply(place, finding, backup);
            return report?.Outcome == RepairOutcome.NothingToDo ? report.ToString() : report?.Problem;
        }
        catch (EventStoreException e)
        {
            return e.Message;
        }
    }

    private static RepairReport? Apply(StorePlace place, StoreFinding finding, string backup)
    {
        switch (finding.Remedy)
        {
            case Remedy.OpenStore:
                place.Open();
                place.CloseStores();
                return null;
            case Remedy.RebuildIndex:
                return place.Repair(RebuildIndex);
            case Remedy.RestoreFromIndex:
                return place.Repair(RestoreFromIndex);
            case Remedy.RestoreFromFolder:
                return place.Repair(RestoreFrom(backup));
            case Remedy.AcceptEditedFile:
                return place.Repair(Accept(finding.Position!.Value));
            default:
                place.Delete(finding.Path);
                return null;
        }
    }
}
