using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>A write of a reaction's checkpoint that arrives in part, several times in a row, leaves the one before it.</summary>
public sealed class TornCheckpointTests
{
    [Fact]
    public void Checkpoints_that_are_torn_leave_the_last_whole_one()
    {
        const string folder = "/live";
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var client = disk.Attach();
        client.CreateFolder(folder);
        using var files = CheckpointFiles.Create(client, folder, term: 1, At(0));
        for (var position = 1; position <= 4; position++)
        {
            for (var tries = 0; tries < 3; tries++)
            {
                disk.Fail(new Fault
                {
                    When = static operation => operation.Kind == OperationKind.Write,
                    Error = FileError.Other,
                    ArrivingShare = 0.5,
                });
                Assert.Throws<FileSystemException>(() => files.Write(At(position)));
                Assert.Equal(position - 1, CheckpointFiles.Read(client, folder, out _)?.At.Position);
            }
            files.Write(At(position));
            Assert.Equal(position, CheckpointFiles.Read(client, folder, out _)?.At.Position);
        }
    }

    private static ReactionCheckpoint At(long position) => new(0, new EventAt(position, Guid.NewGuid()), [], [], [], [], []);
}
