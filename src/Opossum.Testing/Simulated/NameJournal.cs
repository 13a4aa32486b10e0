namespace Opossum.Testing.Simulated;

/// <summary>The changes to names that are not durable yet, in order, and the rules for which flush makes which of them durable.</summary>
internal sealed class NameJournal(VolumeKind kind)
{
    private readonly List<NameChange> pending = [];
    private readonly HashSet<FolderInode> logged = [];

    public IReadOnlyList<NameChange> Pending => pending;

    public void Add(NameChange change)
    {
        pending.Add(change);
        if (kind == VolumeKind.Nfs)
            Commit(_ => true);
    }

    public void FlushFile(FileInode file)
    {
        switch (kind)
        {
            case VolumeKind.Ext4:
                Commit(change => change.Time <= file.LastChange);
                break;
            case VolumeKind.Btrfs:
                ForgetRemoved();
                // New folders above it, but not renamed ones.
                CommitWithPast(change => change.ToFolder is not null
                    && (change.Inode == file || (IsAbove(change.Inode, file) && IsNew(change.Inode))));
                break;
            case VolumeKind.Smb:
                // A file's flush does not promise that the loss of its last name is durable.
                CommitWithPast(change => change.ToFolder is not null && (change.Inode == file || IsAbove(change.Inode, file)));
                break;
        }
    }

    public void FlushFolder(FolderInode folder)
    {
        switch (kind)
        {
            case VolumeKind.Ext4:
                Commit(change => change.Time <= folder.LastChange);
                break;
            case VolumeKind.Btrfs:
                CommitWithPast(change => change.Touches(folder) || change.Inode == folder || IsAbove(change.Inode, folder));
                break;
            case VolumeKind.Posix or VolumeKind.Fuse:
                Commit(change => change.Touches(folder));
                break;
        }
    }

    public void FlushWhole()
    {
        Commit(_ => true);
        foreach (var folder in logged)
        {
            folder.EntriesBeforeLog.Clear();
            folder.Revenants.Clear();
        }

        logged.Clear();
    }

    private static bool IsAbove(Inode folder, Inode inode)
    {
        for (var above = inode.Parent; above is not null; above = above.Parent)
        {
            if (above == folder)
                return true;
        }

        return false;
    }

    private bool IsNew(Inode folder) => pending.Exists(change => change.Inode == folder && change.FromFolder is null);

    // A removed file is taken out of the log, and the next flush of any file writes the log without it: its name then leads to what was there
    // before the log, which may be another file.
    private void ForgetRemoved()
    {
        foreach (var change in pending)
        {
            if (change is { FromFolder: { } folder, ToFolder: null } && folder.DurableEntries.GetValueOrDefault(change.FromName) == change.Inode
                && folder.EntriesBeforeLog.GetValueOrDefault(change.FromName) is { } former)
            {
                folder.Revenants[change.FromName] = former;
            }
        }
    }

    private void NoteLogged(NameChange change)
    {
        if (change.FromFolder is { } from)
            from.Revenants.Remove(change.FromName);

        if (change.ToFolder is { } to)
        {
            to.Revenants.Remove(change.ToName);
            to.EntriesBeforeLog.TryAdd(change.ToName, to.DurableEntries.GetValueOrDefault(change.ToName));
            logged.Add(to);
        }
    }

    // Earlier files under a committed name, and earlier names of a committed file, are past: they must not come back.
    private void CommitWithPast(Predicate<NameChange> isCovered)
    {
        var covered = pending.FindAll(isCovered);
        Commit(change => covered.Exists(each => each == change
            || (each.Time > change.Time && (each.Inode == change.Inode || (each.ToFolder is { } folder && change.HasName(folder, each.ToName))))));
    }

    private void Commit(Predicate<NameChange> isCovered) => pending.RemoveAll(change =>
    {
        if (!isCovered(change))
            return false;

        if (kind == VolumeKind.Btrfs)
            NoteLogged(change);

        change.ApplyTo(folder => folder.DurableEntries);
        return true;
    });
}
