using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>The kinds of disks that most suites try.</summary>
internal static class VolumeKinds
{
    public static readonly VolumeKind[] Local = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix];

    public static readonly VolumeKind[] Network = [VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    public static readonly VolumeKind[] All = [.. Local, .. Network];
}
