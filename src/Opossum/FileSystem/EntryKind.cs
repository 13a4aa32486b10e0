namespace Opossum.FileSystem;

/// <summary>The kind of entry at a path.</summary>
internal enum EntryKind
{
    Missing,
    File,
    Folder,
}
