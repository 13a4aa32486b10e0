using Opossum.Maintenance;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Repair;

/// <summary>Makes an event file that was edited by hand valid, and brings the index in line with it.</summary>
internal sealed class EditAcceptance(StoreUnderRepair store, long position)
{
    private readonly string path = store.EventFiles.PathOf(position);

    public RepairReport Run()
    {
        var bytes = store.EventFiles.ReadBytes(position) ?? throw Refused("is missing, or is not a file");
        var valid = store.EventFiles.Read(bytes, position, out _);
        if (valid is not null && valid.Checksum == store.ReadChecksum(position))
            return store.Report(Remedy.AcceptEditedFile, RepairOutcome.NothingToDo);
        if (valid is not null)
        {
            var damage = store.TryRebuildIndex();
            return Report(damage is null ? RepairOutcome.IndexRebuilt : RepairOutcome.NothingToDo, [], damage);
        }

        var edited = EventFile.ReadEdited(bytes, position, out var problem) ?? throw Refused(problem!);
        if (EditedEvent.FindAstray(edited, store.ReadStored(position), store.EventFiles) is { } astray)
            throw Refused(astray);
        // Of a bad line, an event file beside the sealed file may be the only copy of the original.
        if ((store.ReadStored(position) ?? store.EventFiles.ReadFile(position, out _)) is { } original)
            store.KeepCopies([position], _ => EventFile.TextOfLine(original.Line));
        // Before unsealing, which makes no event file of a bad line where a valid one is.
        store.ReplaceEventFile(position, EventFile.TextOf(edited));
        store.Unseal([position]);
        return Report(RepairOutcome.EditAccepted, [position], store.TryRebuildIndex());
    }

    private RepairReport Report(RepairOutcome outcome, IReadOnlyList<long> restored, StoreDamagedException? damage) =>
        store.Report(Remedy.AcceptEditedFile, outcome, restored, damage);

    private StoreMaintenanceException Refused(string what) => new(path, $"The edit was not accepted: {path} {what}. Nothing was changed.");
}
