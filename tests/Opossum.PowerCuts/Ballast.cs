namespace Opossum.PowerCuts;

/// <summary>Files that take all that is free on the disk.</summary>
internal sealed class Ballast(string folder)
{
    private const long LargestFile = 64 * 1024 * 1024;
    private const long SmallestFile = 4 * 1024;

    private readonly string folder = Path.Combine(folder, "ballast");

    /// <summary>Fills the disk. The bytes are allocated, and not written.</summary>
    public void Make()
    {
        Directory.CreateDirectory(folder);
        var number = 0;
        for (var length = LargestFile; length >= SmallestFile; length /= 2)
        {
            while (TryAllocate(Path.Combine(folder, $"{number++}"), length))
            {
            }
        }
    }

    /// <summary>Frees what it took.</summary>
    public void Remove()
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }

    private static bool TryAllocate(string path, long length)
    {
        try
        {
            using var file = new FileStream(path, new FileStreamOptions
            {
                Mode = FileMode.CreateNew,
                Access = FileAccess.Write,
                PreallocationSize = length,
            });
            return true;
        }
        catch (IOException)
        {
            // .NET deletes the file that it could not allocate.
            return false;
        }
    }
}
