namespace Opossum.FileSystem;

/// <summary>The byte that is locked in a lock file.</summary>
internal static class LockByte
{
    /// <summary>Far outside of anything read or written: SMB's locks are mandatory.</summary>
    public const long Offset = 1L << 62;
}
