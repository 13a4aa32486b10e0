namespace Opossum.Testing.Simulated;

/// <summary>A file or folder, whatever names lead to it.</summary>
internal abstract class Inode
{
    private static long lastNumber;

    /// <summary>Tells it from every other.</summary>
    public ulong Number { get; } = (ulong)Interlocked.Increment(ref lastNumber);

    /// <summary>The folder that holds its name, or held it last.</summary>
    public FolderInode? Parent { get; set; }

    /// <summary>How many names lead to it.</summary>
    public int Names { get; set; }

    /// <summary>When it last changed, in the order of all changes to the disk.</summary>
    public long LastChange { get; set; }
}
