using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>A write of a projection's checkpoint that arrives in part leaves the one before it.</summary>
public sealed class TornCheckpointTests
{
    [Fact]
    public void A_checkpoint_that_is_torn_leaves_the_one_before_it()
    {
        const string path = "/checkpoint";
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var client = disk.Attach();
        At(0).Create(client, path);
        for (var turn = 1; turn <= 4; turn++)
        {
            disk.Fail(new Fault
            {
                When = static operation => operation.Kind == OperationKind.Write,
                Error = FileError.Other,
                ArrivingShare = 0.1,
            });
            Assert.Throws<FileSystemException>(() => At(turn).Overwrite(client, path, turn));
            Assert.Equal(turn - 1, Read());
            At(turn).Overwrite(client, path, turn);
            Assert.Equal(turn, Read());
        }

        long? Read()
        {
            using var file = client.Open(path, FileOpening.Read)!;
            var bytes = new byte[file.GetLength()];
            file.Read(bytes, 0);
            return Checkpoint.Parse(bytes).Newest?.Last.Position;
        }
    }

    private static Checkpoint At(long position) => new(new EventAt(position, Guid.NewGuid()), null);
}
