namespace Opossum.FileSystem.Linux;

/// <summary>A folder in which files are created by their names alone. Creating, writing and closing a file takes three system calls.</summary>
internal sealed class LinuxFolder(LinuxFile folder) : IFolder
{
    private readonly RootOwnership? ownership = RootOwnership.Applies ? RootOwnership.Of(folder) : null;

    public IFile? CreateNew(string path) => LinuxFileSystem.CreateNew(path, folder, ownership);

    public void Dispose() => folder.Dispose();
}
