using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>A projection takes its events and reads its tag log in parts; here each part is small, and there are several.</summary>
public sealed class ProjectionSizesTests
{
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock());

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    public void Each_event_of_several_steps_is_applied_once(int events)
    {
        var process = NewProcess(new ProjectionSizes { EventsAStep = 3 });
        process.Append([.. Enumerable.Range(1, events).Select(static number => Counts.Counted($"k{number % 2}"))]);
        process.Run();

        process.CheckExact();
    }

    [Fact]
    public void Log_is_read_the_same_whatever_is_read_at_a_time()
    {
        var process = NewProcess(new ProjectionSizes());
        process.Append([.. Enumerable.Range(1, 4).Select(static number => Counts.Counted(new string('k', number * 20)))]);
        process.Run();
        var path = LogsOf(process).Single();
        var length = LengthOf(process, path);
        foreach (var end in (long[])[length / 2, length, long.MaxValue])
        {
            var expected = Read(length + 1, end);
            for (var bytesAtOnce = 1; bytesAtOnce <= length; bytesAtOnce++)
                Assert.Equal((bytesAtOnce, expected), (bytesAtOnce, Read(bytesAtOnce, end)));
        }

        string Read(long bytesAtOnce, long end)
        {
            var lines = new List<string>();
            var (whole, isWhole) = TagLog.Read(process.Client, path, 0, end, (int)bytesAtOnce,
                (key, position, tags) => lines.Add($"{key} {position} {string.Join(' ', tags)}"))!.Value;
            return $"{whole} {isWhole} {string.Join('|', lines)}";
        }
    }

    [Fact]
    public void Segment_as_long_as_it_may_be_is_written_further()
    {
        var process = NewProcess(new ProjectionSizes { TagSegmentBytesMax = LengthOfOneSegment(keys: 1) });
        process.Append(Counts.Counted("k1"));
        process.Run();
        process.Append(Counts.Counted("k1"));
        process.Run();

        Assert.Single(LogsOf(process));
        process.CheckExact();
    }

    [Fact]
    public void Segment_that_is_longer_than_it_may_be_is_left_to_the_next_leader()
    {
        var process = NewProcess(new ProjectionSizes { TagSegmentBytesMax = LengthOfOneSegment(keys: 1) - 1 });
        process.Append(Counts.Counted("k1"));
        process.Run();
        for (var round = 0; round < 3; round++)
        {
            process.Append(Counts.Counted("k1"));
            Assert.Throws<LeadershipLostException>(process.Run);
            process.RunAgain();
            process.CheckExact();
        }
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    public void Segments_are_merged_once_the_later_ones_have_so_much(int missing, bool areMerged)
    {
        var sizes = new ProjectionSizes { TagSegmentBytesMax = LengthOfOneSegment(keys: 2) + missing };
        foreach (var keys in (string[][])[["k1"], ["k2", "k3"]])
        {
            var process = NewProcess(sizes);
            process.Append([.. keys.Select(static key => Counts.Counted(key))]);
            process.Run();
            process.Client.Kill();
        }
        var next = NewProcess(sizes);
        next.Run();

        Assert.Equal(areMerged ? 1 : 2, LogsOf(next).Count);
        next.CheckExact();
    }

    private static long LengthOfOneSegment(int keys)
    {
        var process = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach());
        process.Append([.. Enumerable.Range(1, keys).Select(static key => Counts.Counted($"k{key}"))]);
        process.Run();
        return LengthOf(process, LogsOf(process).Single());
    }

    private SteppedProjection NewProcess(ProjectionSizes sizes) => new(disk.Attach(), sizes: sizes);

    private static long LengthOf(SteppedProjection process, string path)
    {
        using var file = process.Client.Open(path, Opossum.FileSystem.FileOpening.Read)!;
        return file.GetLength();
    }

    private static List<string> LogsOf(SteppedProjection process) =>
        [.. process.Client.List(process.Live.Folder).Where(static name => Generation.TryParseTagLog(name, out _)).Order()
            .Select(name => Path.Combine(process.Live.Folder, name))];
}
