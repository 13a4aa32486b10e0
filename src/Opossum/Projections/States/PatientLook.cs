using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>
/// Looks at what a leader may be moving or replacing at that moment. What was listed can be gone when it is read; then it is looked for
/// again, because it has another name by then, or something else has taken its place.
/// </summary>
internal static class PatientLook
{
    private static readonly TimeSpan limit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

    /// <summary>Looks until nothing is gone, half a minute at most.</summary>
    /// <exception cref="FileSystemException">Something that is listed is not to be found, or something cannot be read.</exception>
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

    /// <summary>What a look ends with when something that was listed is not where it was.</summary>
    public static FileSystemException Gone(string path) => new(FileError.NotFound, "read", path, "it was moved or replaced");
}
