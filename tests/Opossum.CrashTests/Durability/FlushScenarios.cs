using Opossum.SealingTests;
using Opossum.Testing.Simulated;
using Opossum.Tests.Backup;
using Opossum.Tests.Personal;
using Opossum.Tests.Projections;
using Opossum.Tests.Proof;
using Opossum.Tests.Reactions;
using Opossum.Tests.Repair;
using Opossum.Tests.Transfer;

namespace Opossum.Tests.Durability;

/// <summary>The scenarios in which a flush that is skipped must be missed, each on the kinds of disks on which its flushes are others.</summary>
internal static class FlushScenarios
{
    private static readonly VolumeKind[] all =
        [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];

    private static readonly VolumeKind[] network = [VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];
    private static readonly VolumeKind[] local = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix];

    public static readonly (CrashScenario Scenario, VolumeKind[] Kinds)[] All =
    [
        (CrashScenario.Of(Scenarios.LoneAppends), all),
        (CrashScenario.Of(Scenarios.Groups), all),
        (CrashScenario.Of(Scenarios.Creation), all),
        (CrashScenario.Of(Scenarios.PeerThatCrashesBeforeItsFlush), all),
        (CrashScenario.Of(Scenarios.GroupsBesideForeignDirtyBytes), [VolumeKind.Btrfs]),
        (CrashScenario.Of(Scenarios.GroupsWhereOnlyTheWholeIsFlushed), [VolumeKind.Posix]),
        (CrashScenario.Of(Scenarios.Unflushed), local),
        (CrashScenario.Of(Scenarios.FlushedBehindUnflushed), local),
        (CrashScenario.Of(Scenarios.UnflushedCreation), local),
        (CrashScenario.Of(Scenarios.CreationThatOthersFinish), all),
        (CrashScenario.Of(Scenarios.SetAside), local),
        (CrashScenario.Of(FaultScenarios.Opening), all),
        (CrashScenario.Of(Scenarios.Journal), local),
        (CrashScenario.Of(Scenarios.JournalInTurns), local),
        (CrashScenario.Of(Scenarios.JournalOfOne), local),
        (CrashScenario.Of(Scenarios.JournalOfDead), local),
        (CrashScenario.Of(Scenarios.GroupsInFiles), network),
        (CrashScenario.Of(Scenarios.GroupsOfDead), network),
        (CrashScenario.Of(Scenarios.TakenBack), [VolumeKind.Btrfs]),
        (CrashScenario.Of(ProjectionScenario.FirstBuild), all),
        (CrashScenario.Of(ProjectionScenario.Update), all),
        (CrashScenario.Of(ProjectionScenario.TakeOver), all),
        (CrashScenario.Of(ProjectionScenario.Rebuild), all),
        (CrashScenario.Of(ProjectionScenario.OneByOne), all),
        .. On(SealedStores.Scenarios.Select(SealedStores.Crash), all),
        .. On(BackupCrashTests.CrashScenarios, all),
        (BackupTests.Crash, all),
        .. On(BackupKeysTests.CrashScenarios, all),
        .. On(InterruptedRepairTests.CrashScenarios, all),
        (InterruptedRedactionTests.Crash, all),
        (InterruptedProofTests.Crash, all),
        (KeyCrashTests.Crash, all),
        (InterruptedForgettingTests.Crash, all),
        .. On(ReactionCrashTests.CrashScenarios, all),
        .. On(ParkingCrashTests.CrashScenarios, all),
        (DueCrashTests.Crash, all),
        (ScheduleTests.Crash, all),
        (AppendOnceTests.Crash, all),
        (ImportCrashTests.Crash, all),
    ];

    private static IEnumerable<(CrashScenario Scenario, VolumeKind[] Kinds)> On(IEnumerable<CrashScenario> scenarios, VolumeKind[] kinds) =>
        scenarios.Select(scenario => (scenario, kinds));
}
