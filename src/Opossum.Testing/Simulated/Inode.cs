namespace Opossum.Testing.Simulated;

/// <summary>A file or folder, independent of its names.</summary>
internal abstract class Inode
{
    private static long lastNumber;

    public ulong Number { get; } = (ulong)Interlocked.Increment(ref lastNumber);

    /// <summary>The folder that holds its name, or held it last.</summary>
    public FolderInode? Parent { get; set; }

    /// <summary>The number of names that lead to it.</summary>
    public int Names { get; set; }

    /// <summary>When it last changed, in the order of all changes to the disk.</summary>
    public long LastChange { get; set; }
}
