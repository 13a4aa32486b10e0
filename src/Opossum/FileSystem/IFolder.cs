namespace Opossum.FileSystem;

/// <summary>An open folder: it stays the same one when its path has come to lead elsewhere.</summary>
internal interface IFolder : IDisposable
{
    /// <inheritdoc cref="IFileSystem.CreateNew"/>
    /// <param name="path">A path in this folder, as it was when it was opened.</param>
    IFile? CreateNew(string path);
}
