namespace Opossum.FileSystem;

/// <summary>Properties of a <see cref="FileOpening"/>.</summary>
internal static class FileOpeningExtensions
{
    /// <summary>Whether a missing file is created.</summary>
    public static bool MayCreate(this FileOpening opening) => opening is FileOpening.ReadWriteOrCreate or FileOpening.LockOrCreate;
}
