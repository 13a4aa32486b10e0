using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>
/// Reads files that a leader may be moving or replacing at the same time. A listed file can be gone when it is read; the folder is then listed
/// again, because the file has another name by then, or another file has replaced it.
/// </summary>
internal static class PatientLook
{
    private static readonly TimeSpan limit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan tornLimit = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

    /// <summary>The time for which a file just written by another machine may appear torn on a share.</summary>
    public static Patience WhileTorn(IFileSystem fileSystem) => new(fileSystem.Pause, tornLimit, first: pause, longest: pause);

    /// <summary>Repeats the reading until no listed file is gone, for half a minute at most.</summary>
    /// <exception cref="FileSystemException">A listed file cannot be found, or a file cannot be read.</exception>
    public static T Look<T>(IFileSystem fileSystem, Func<T> look)
    {
        var patience = new Patience(fileSystem.Pause, limit, first: pause, longest: pause);
        while (true)
        {
            try
            {
                return look();
            }
            catch (FileSystemException e) when (e.Error == FileError.NotFound)
            {
                if (!patience.TryPause())
                    throw;
            }
        }
    }

    /// <summary>The error when a listed file is no longer at its path.</summary>
    public static FileSystemException Gone(string path) => new(FileError.NotFound, "read", path, "it was moved or replaced");
}
