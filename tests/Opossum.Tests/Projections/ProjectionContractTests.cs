using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

// Where projections are held to what they promise: a folder of this machine, and each kind of simulated file system.
public sealed class ProjectionsInFolderTests() : ProjectionContract(StorePlace.InFolder());

public sealed class ProjectionsOnExt4Tests() : ProjectionContract(StorePlace.On(VolumeKind.Ext4, TimeProvider.System));

public sealed class ProjectionsOnBtrfsTests() : ProjectionContract(StorePlace.On(VolumeKind.Btrfs, TimeProvider.System));

public sealed class ProjectionsOnPosixTests() : ProjectionContract(StorePlace.On(VolumeKind.Posix, TimeProvider.System));

public sealed class ProjectionsOnSmbTests() : ProjectionContract(StorePlace.On(VolumeKind.Smb, TimeProvider.System));

public sealed class ProjectionsOnNfsTests() : ProjectionContract(StorePlace.On(VolumeKind.Nfs, TimeProvider.System));

public sealed class ProjectionsOnFuseTests() : ProjectionContract(StorePlace.On(VolumeKind.Fuse, TimeProvider.System));
