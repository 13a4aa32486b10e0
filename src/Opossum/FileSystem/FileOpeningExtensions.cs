namespace Opossum.FileSystem;

/// <summary>Properties of a <see cref="FileOpening"/>.</summary>
internal static class FileOpeningExtensions
{
    public static bool MayCreate(this FileOpening opening) => opening is FileOpening.ReadWriteOrCreate or FileOpening.LockOrCreate;
}
