namespace Opossum.Testing.Simulated;

/// <summary>A file or folder lost one name, got another, or both at once.</summary>
internal sealed record NameChange(long Time, Inode Inode, FolderInode? FromFolder, string FromName, FolderInode? ToFolder, string ToName)
{
    public bool Touches(FolderInode folder) => FromFolder == folder || ToFolder == folder;

    public bool HasName(FolderInode folder, string name) => (FromFolder == folder && FromName == name) || (ToFolder == folder && ToName == name);

    public void ApplyTo(Func<FolderInode, Dictionary<string, Inode>> entriesOf)
    {
        // The medium may already have a later file with that name.
        if (FromFolder is not null && entriesOf(FromFolder).GetValueOrDefault(FromName) == Inode)
            entriesOf(FromFolder).Remove(FromName);

        if (ToFolder is not null)
            entriesOf(ToFolder)[ToName] = Inode;
    }
}
