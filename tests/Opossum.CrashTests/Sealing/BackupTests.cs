using Opossum.Testing.Simulated;
using Opossum.Tests.Backup;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Backups of stores of several folders.</summary>
public sealed class BackupTests(ITestOutputHelper output)
{
    [Fact]
    public void Restore_has_every_event_in_its_own_folder()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()) { ShardPositions = SealedStores.Positions };
        // An append ends where its folder does, and the store where the third one begins.
        BackupPlace.Append(disk, SealedStores.Positions - 4, 3, SealedStores.Positions, 1);
        BackupPlace.Run(disk.Attach());

        BackupPlace.Restore(disk.Attach());

        BackupPlace.AssertWhole(disk, BackupPlace.Restored, BackupPlace.Ids(disk, SteppedStore.Root));
    }

    internal static CrashScenario Crash { get; } = CrashCase.Crash(new CrashTarget("an update across two folders", BackupPlace.Target,
        static disk =>
        {
            BackupPlace.Append(disk, SealedStores.Positions - 3);
            BackupPlace.Run(disk.Attach());
            BackupPlace.Append(disk, 1, 4, 1);
        }, static client => BackupPlace.Run(client))
    { Adjust = static disk => disk.ShardPositions = SealedStores.Positions });

    [Fact]
    public void Power_cut_while_an_append_of_two_folders_is_copied_leaves_the_last_whole_backup() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);
}
