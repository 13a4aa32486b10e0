using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>The properties that the real counterpart of a simulated file system would report.</summary>
internal static class SimulatedVolume
{
    public static Volume Of(VolumeKind kind) => kind switch
    {
        VolumeKind.Ext4 => new Volume { Name = "ext4", FileFlushCoversName = true, CanFlushWhole = true, CanFlushRange = true },
        VolumeKind.Btrfs => new Volume { Name = "btrfs", FileFlushCoversName = true, CanFlushWhole = true, BringsBackReplaced = true },
        VolumeKind.Posix => new Volume { Name = "posix", FileFlushCoversName = false },
        VolumeKind.Smb => new Volume { Name = "smb", FileFlushCoversName = true, IsNetwork = true },
        VolumeKind.Nfs => new Volume { Name = "nfs", FileFlushCoversName = true, IsNetwork = true, ForbidsKeptWriteHandles = true },
        VolumeKind.Fuse =>
            new Volume { Name = "fuse", FileFlushCoversName = false, IsNetwork = true, ForbidsKeptWriteHandles = true, CachesIgnoreLocks = true },
        _ => throw new ArgumentOutOfRangeException(nameof(kind)),
    };
}
