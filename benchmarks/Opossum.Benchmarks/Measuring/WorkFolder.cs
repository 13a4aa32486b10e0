using Opossum.FileSystem;
using Opossum.FileSystem.Linux;
using Opossum.FileSystem.Real;

namespace Opossum.Benchmarks.Measuring;

/// <summary>A folder for one run, on the measured disk. Disposing removes it with its content.</summary>
internal sealed class WorkFolder : IDisposable
{
    private readonly IFileSystem fileSystem = RealFileSystem.Create();

    /// <param name="parent">Where it is made.</param>
    /// <param name="name">Its name; a folder of that name may be there.</param>
    /// <exception cref="CannotMeasureException">The folder cannot be made.</exception>
    public WorkFolder(string parent, string name)
    {
        Path = System.IO.Path.Combine(System.IO.Path.GetFullPath(parent), name);
        try
        {
            Directory.CreateDirectory(Path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CannotMeasureException($"There can be no folder here to measure in: {e.Message}", e);
        }
        // Otherwise one contender's files would slow down another one's next to them (ext4 looks for nearby inodes).
        fileSystem.SpreadSubfolders(Path);
        Volume = fileSystem.GetVolume(Path);
        Device = BlockDevice.Under(Path);
    }

    public string Path { get; }

    public Volume Volume { get; }

    /// <summary>Null where it is unknown.</summary>
    public BlockDevice? Device { get; }

    /// <summary>Whether <see cref="Dispose"/> leaves the folder.</summary>
    public bool IsKept { get; set; }

    /// <summary>A name below the folder with a random end.</summary>
    public static WorkFolder CreateNew(string parent, string purpose) => new(parent, $"opossum-{purpose}-{Guid.NewGuid().ToString("N")[..8]}");

    public string Below(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>
    /// Writes earlier data to the disk, so that it does not affect the next measurement; on Linux only. Also where a store does not rely on this
    /// call: on ext4 without a journal.
    /// </summary>
    public void Settle()
    {
        if (fileSystem is LinuxFileSystem)
            fileSystem.FlushWhole(Path);
    }

    public static void Delete(string folder)
    {
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }

    public void Dispose()
    {
        fileSystem.Dispose();
        if (!IsKept)
            Delete(Path);
    }
}
