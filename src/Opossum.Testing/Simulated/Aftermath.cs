namespace Opossum.Testing.Simulated;

/// <summary>Chooses what one power cut leaves of a disk, and builds it.</summary>
internal sealed class Aftermath(SimulatedDisk disk, PowerCut cut)
{
    private readonly Random random = new(cut.Seed);
    private readonly Dictionary<FolderInode, Dictionary<string, Inode>> entries = [];
    private readonly Dictionary<FileInode, FileInode> files = [];
    private long committed;

    private bool KeepsAllNames => cut.Mode is PowerCutMode.KeepsAll or PowerCutMode.LosesBytes or PowerCutMode.ZeroesBytes;

    /// <summary>Fills the new disk's root; returns the number of bytes in its files.</summary>
    public long Fill(FolderInode root)
    {
        foreach (var change in ChooseNames())
        {
            change.ApplyTo(EntriesOf);
            committed = change.Time;
        }

        Copy(disk.Root, root);
        return files.Values.Sum(file => disk.RoomOf(file.Length));
    }

    private IEnumerable<NameChange> ChooseNames()
    {
        var pending = disk.Journal.Pending;
        return cut.Mode switch
        {
            PowerCutMode.LosesAll or PowerCutMode.LosesNames => [],
            PowerCutMode.Random or PowerCutMode.Tears when disk.Kind == VolumeKind.Ext4 => pending.Take(random.Next(pending.Count + 1)),
            PowerCutMode.Random or PowerCutMode.Tears => pending.Where(_ => random.Next(2) == 0),
            _ => pending,
        };
    }

    private Dictionary<string, Inode> EntriesOf(FolderInode folder)
    {
        if (!entries.TryGetValue(folder, out var copy))
        {
            copy = new Dictionary<string, Inode>(folder.DurableEntries, StringComparer.Ordinal);
            if (!KeepsAllNames)
            {
                foreach (var (name, inode) in folder.Revenants)
                    copy[name] = inode;
            }

            entries.Add(folder, copy);
        }

        return copy;
    }

    private void Copy(FolderInode source, FolderInode target)
    {
        // In name order, so that a seed makes the same choices in every run.
        foreach (var (name, inode) in EntriesOf(source).OrderBy(entry => entry.Key, StringComparer.Ordinal))
        {
            Inode copy = inode is FileInode file ? CopyOf(file) : new FolderInode();
            copy.Parent = target;
            copy.Names++;
            target.Entries.Add(name, copy);
            target.DurableEntries.Add(name, copy);
            if (inode is FolderInode folder)
                Copy(folder, (FolderInode)copy);
        }
    }

    private FileInode CopyOf(FileInode file)
    {
        if (!files.TryGetValue(file, out var copy))
        {
            copy = file.IsDurable ? file.Copy() : FileInode.Of(BytesOf(file));
            files.Add(file, copy);
        }

        return copy;
    }

    private byte[] BytesOf(FileInode file)
    {
        var newest = file.NewestVersion;
        var oldest = OldestVersion(file);
        var units = new int[file.UnitCount];
        switch (cut.Mode)
        {
            case PowerCutMode.KeepsAll or PowerCutMode.LosesNames:
                Array.Fill(units, newest);
                return file.VersionAfterCut(newest, units);
            case PowerCutMode.LosesAll or PowerCutMode.LosesBytes:
                Array.Fill(units, oldest);
                return file.VersionAfterCut(oldest, units);
            case PowerCutMode.ZeroesBytes:
                Array.Fill(units, oldest);
                return file.VersionAfterCut(newest, units);
            case PowerCutMode.Random:
                var version = ChooseVersion(oldest, newest);
                Array.Fill(units, version);
                return file.VersionAfterCut(random.Next(4) == 0 ? newest : version, units);
            default:
                for (var i = 0; i < units.Length; i++)
                    units[i] = ChooseVersion(oldest, newest);

                return file.VersionAfterCut(ChooseVersion(oldest, newest), units);
        }
    }

    // A journal's commit begins with a flush of the device's cache: the names that survive bring with them the bytes that reached the device before.
    private int OldestVersion(FileInode file) => disk.Kind == VolumeKind.Ext4 && file.LastChange <= committed ? file.VersionWithDevice : 0;

    private int ChooseVersion(int oldest, int newest) => random.Next(3) switch
    {
        0 => oldest,
        1 => newest,
        _ => random.Next(oldest, newest + 1),
    };
}
