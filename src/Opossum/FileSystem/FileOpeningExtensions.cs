namespace Opossum.FileSystem;

/// <summary>What is to be known of a <see cref="FileOpening"/>.</summary>
internal static class FileOpeningExtensions
{
    /// <summary>Whether a file that is not there is created.</summary>
    public static bool MayCreate(this FileOpening opening) => opening is FileOpening.ReadWriteOrCreate or FileOpening.LockOrCreate;
}
