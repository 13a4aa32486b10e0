using Opossum.SealingTests;
using Opossum.Testing.Simulated;
using Opossum.Tests.Backup;
using Opossum.Tests.Index;
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
    public static readonly (CrashScenario Scenario, VolumeKind[] Kinds)[] All =
    [
        (CrashScenario.Of(Scenarios.LoneAppends), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Groups), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Creation), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.PeerThatCrashesBeforeItsFlush), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.GroupsBesideForeignDirtyBytes), [VolumeKind.Btrfs]),
        (CrashScenario.Of(Scenarios.GroupsWhereOnlyTheWholeIsFlushed), [VolumeKind.Posix]),
        (CrashScenario.Of(Scenarios.MultiEventAppend), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.LargeAppend), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.GroupBeyondOpenFiles), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.TwoProcesses), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.PeersThatCrash), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.ShardChange), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.LoneShardChange), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Rebuild), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.LongRebuild), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Runs), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.RunsOfOne), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Unflushed), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.FlushedBehindUnflushed), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.UnflushedCreation), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.CreationThatOthersFinish), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.SetAside), VolumeKinds.Local),
        (CrashScenario.Of(FaultScenarios.Opening), VolumeKinds.All),
        (CrashScenario.Of(Scenarios.Journal), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.JournalInTurns), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.JournalOfTwo), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.JournalOfOne), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.JournalOfDead), VolumeKinds.Local),
        (CrashScenario.Of(Scenarios.TakenBack), [VolumeKind.Btrfs]),
        (CrashScenario.Of(ProjectionScenario.FirstBuild), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.Update), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.TakeOver), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.Rebuild), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.OneByOne), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.Updates), VolumeKinds.All),
        (CrashScenario.Of(ProjectionScenario.RebuildOfUpdates), VolumeKinds.All),
        .. On(SealedStores.Scenarios.Select(SealedStores.Crash), VolumeKinds.All),
        .. On(BackupCrashTests.CrashScenarios, VolumeKinds.All),
        .. On(ReplicaCrashTests.CrashScenarios, VolumeKinds.All),
        (SnapshotCrashTests.Crash, VolumeKinds.All),
        (BackupTests.Crash, VolumeKinds.All),
        .. On(BackupKeysTests.CrashScenarios, VolumeKinds.All),
        .. On(InterruptedRepairTests.CrashScenarios, VolumeKinds.All),
        (InterruptedRedactionTests.CrashScenarios[0], VolumeKinds.All),
        (InterruptedRedactionTests.CrashScenarios[1], VolumeKinds.Local),
        (InterruptedProofTests.Crash, VolumeKinds.All),
        (KeyCrashTests.Crash, VolumeKinds.All),
        (InterruptedForgettingTests.Crash, VolumeKinds.All),
        .. On(ReactionCrashTests.CrashScenarios, VolumeKinds.All),
        .. On(ParkingCrashTests.CrashScenarios, VolumeKinds.All),
        (DueCrashTests.Crash, VolumeKinds.All),
        (ScheduleTests.Crash, VolumeKinds.All),
        (AppendOnceTests.Crash, VolumeKinds.All),
        (ImportCrashTests.Crash, VolumeKinds.All),
        .. On(TagRuleCrashTests.CrashScenarios, TagRuleCrashTests.Kinds),
    ];

    private static IEnumerable<(CrashScenario Scenario, VolumeKind[] Kinds)> On(IEnumerable<CrashScenario> scenarios, VolumeKind[] kinds) =>
        scenarios.Select(scenario => (scenario, kinds));
}
