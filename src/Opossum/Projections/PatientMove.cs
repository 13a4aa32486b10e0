using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Moves where Windows may refuse for a moment: a folder while somebody reads a file in it, a file onto one that is being read.</summary>
internal static class PatientMove
{
    private const int TriesMax = 200;

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(10);

    public static void Move(IFileSystem fileSystem, string from, string to) => Try(fileSystem, () => fileSystem.Move(from, to));

    public static void MoveFolder(IFileSystem fileSystem, string from, string to) => Try(fileSystem, () => fileSystem.MoveFolder(from, to));

    private static void Try(IFileSystem fileSystem, Action move)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                move();
                return;
            }
            catch (FileSystemException e) when (e.Error == FileError.AccessDenied && tries < TriesMax)
            {
                fileSystem.Pause(pause);
            }
        }
    }
}
