namespace Opossum.FileSystem;

/// <summary>The byte of a lock file that is locked.</summary>
internal static class LockByte
{
    /// <summary>Far from anything read or written, because SMB's locks are mandatory.</summary>
    public const long Offset = 1L << 62;
}
