using System.Globalization;
using Opossum.Storage.Backup;

namespace Opossum.Storage.Replicas;

/// <summary>Decides whether a folder may follow a store: by the terms of both, and by what the folder was before.</summary>
internal sealed class ReplicaJudgement(BackupSource source, BackupTarget target, TimeProvider clock)
{
    private readonly StoreFolder folder = target.Folder;

    /// <summary>Marks the folder, durably, as a replica of the store, before anything is copied.</summary>
    /// <exception cref="StoreMaintenanceException">It cannot be one. Nothing was changed there.</exception>
    public ReplicaFile Admit()
    {
        var (ours, theirs) = (source.StoreFile, folder.Read());
        var before = folder.FindReplica();
        if (theirs?.Term > ours.Term)
            throw Superseded(theirs.Term);
        if (theirs is not null && theirs.Term == ours.Term && before is null && IsOpened)
        {
            throw Refused($"it is a store of its own, of the same term {ours.Term} and the same id: neither follows the other. Choose another folder. "
                + "If it is to be the replica, move it away and follow into a new folder");
        }
        var isNew = before is null && !folder.HasEvents;
        var replica = new ReplicaFile(source.Root, ours.Term)
        {
            Revision = isNew ? ours.Revision : before?.Revision,
            Head = before?.Head ?? 0,
            SourceHead = source.Head,
            At = clock.GetUtcNow(),
        };
        // Order matters: before store.json gets the term, or the folder would count as the store for a moment.
        replica.Write(folder.FileSystem, folder.Layout);
        if (theirs is not null && theirs.Term != ours.Term)
            ours.Replace(folder.FileSystem, folder.Layout);
        return replica;
    }

    // A process that opens a store for writing makes an index. A backup has none.
    private bool IsOpened => folder.FileSystem.GetKind(folder.Layout.IndexFile) != Opossum.FileSystem.EntryKind.Missing;

    private StoreMaintenanceException Superseded(int term) => Refused(string.Create(CultureInfo.InvariantCulture,
        $"it was promoted, in term {term}, and {source.Root} is the former store, of term {source.StoreFile.Term}"));

    private StoreMaintenanceException Refused(string why) =>
        new(folder.Root, $"{folder.Root} does not follow {source.Root}: {why}. Nothing was changed there.");
}
