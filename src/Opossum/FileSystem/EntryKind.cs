namespace Opossum.FileSystem;

/// <summary>What lies at a path.</summary>
internal enum EntryKind
{
    Missing,
    File,
    Folder,
}
