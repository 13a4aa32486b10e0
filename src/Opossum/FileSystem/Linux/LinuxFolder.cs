using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>A folder in which files are created by their names alone. Creating, writing and closing a file takes three system calls.</summary>
internal sealed unsafe class LinuxFolder : IFolder
{
    private readonly LinuxFile folder;
    private LibC.FileStatus owner;

    public LinuxFolder(LinuxFile folder)
    {
        this.folder = folder;
        // A status that cannot be had is empty: then nothing is passed on.
        fixed (LibC.FileStatus* status = &owner)
            _ = LibC.GetStatus(folder, "", LibC.EmptyPath, LibC.WantOwner, status);
    }

    public IFile? CreateNew(string path)
    {
        fixed (LibC.FileStatus* status = &owner)
        {
            if (LinuxFileSystem.TryCreate(path, LibC.ReadWrite, folder, status) is { } file)
                return file;
        }
        return ErrorNumber.Last == ErrorNumber.Exists ? null : throw ErrorNumber.Failure("create", path);
    }

    public void Dispose() => folder.Dispose();
}
