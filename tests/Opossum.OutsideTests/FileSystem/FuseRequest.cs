namespace Opossum.Tests.FileSystem;

/// <summary>What the kernel asks of a <see cref="FuseMount"/>, by the numbers of linux/fuse.h.</summary>
internal enum FuseRequest
{
    Lookup = 1,
    Forget = 2,
    GetAttributes = 3,
    Open = 14,
    ReadFile = 15,
    WriteFile = 16,
    GetVolume = 17,
    Release = 18,
    FlushFile = 20, // FUSE_FSYNC
    Flush = 25, // on close(2)
    Init = 26,
    OpenFolder = 27,
    ReleaseFolder = 29,
    SetLock = 32,
    Interrupt = 36,
    BatchForget = 42,
}
