using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Reactions.Files;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>The two files of a leader's checkpoints on a disk that fails for a moment.</summary>
public sealed class CheckpointFilesTests
{
    private const string Folder = "/reaction";

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_write_that_failed_leaves_nothing_behind_the_shorter_one_that_follows(bool isWritten)
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        var client = disk.Attach();
        client.CreateFolder(Folder);
        using var files = CheckpointFiles.Create(client, Folder, term: 1, At(1));
        disk.Fail(new Fault
        {
            When = each => each.Kind == (isWritten ? OperationKind.Flush : OperationKind.Write),
            ArrivingShare = 0.9,
        });
        var longer = At(2) with { Interrupted = [.. Enumerable.Range(1, 100).Select(static number => (long)number)] };
        Assert.Throws<FileSystemException>(() => files.Write(longer));

        files.Write(At(3));

        Assert.Equal(3, CheckpointFiles.Read(client, Folder, out var problem)?.At.Position);
        Assert.Null(problem);
    }

    private static ReactionCheckpoint At(long position) => new(0, new EventAt(position, Guid.Empty), [], [], [], [], []);
}
