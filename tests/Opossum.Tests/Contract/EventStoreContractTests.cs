using Opossum.Testing.Simulated;

namespace Opossum.Tests.Contract;

// Where the contract is held: a folder of this machine on its disk, folders that need no disk, and each kind of simulated file system.
public sealed class ContractInFolderTests() : EventStoreContract(StorePlace.InFolderOnDisk());

public sealed class ContractInFolderWithoutFlushTests() : EventStoreContract(StorePlace.InFolder(), flush: false);

public sealed class ContractInFolderWithJournalTests() : EventStoreContract(StorePlace.InFolder(), useJournal: true);

public sealed class ContractReadByAnotherTests() : EventStoreContract(StorePlace.InFolder(), readByAnother: true);

public sealed class ContractOnExt4WithJournalTests() : EventStoreContract(StorePlace.On(VolumeKind.Ext4, TimeProvider.System), useJournal: true);

public sealed class ContractOnExt4Tests() : EventStoreContract(StorePlace.On(VolumeKind.Ext4, TimeProvider.System));

public sealed class ContractOnExt4WithConditionsTests()
    : EventStoreContract(StorePlace.On(VolumeKind.Ext4, TimeProvider.System), keepConditions: true);

public sealed class ContractOnExt4WithoutFlushTests() : EventStoreContract(StorePlace.On(VolumeKind.Ext4, TimeProvider.System), flush: false);

public sealed class ContractOnBtrfsTests() : EventStoreContract(StorePlace.On(VolumeKind.Btrfs, TimeProvider.System));

public sealed class ContractOnPosixTests() : EventStoreContract(StorePlace.On(VolumeKind.Posix, TimeProvider.System));

public sealed class ContractOnPosixWithoutFlushTests() : EventStoreContract(StorePlace.On(VolumeKind.Posix, TimeProvider.System), flush: false);

public sealed class ContractOnSmbTests() : EventStoreContract(StorePlace.On(VolumeKind.Smb, TimeProvider.System));

public sealed class ContractOnNfsTests() : EventStoreContract(StorePlace.On(VolumeKind.Nfs, TimeProvider.System));

public sealed class ContractOnFuseTests() : EventStoreContract(StorePlace.On(VolumeKind.Fuse, TimeProvider.System));
