using Opossum.FileSystem;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.FileSystem;

public sealed class SimulatedPowerCutTests
{
    private const int Seeds = 100;
    private readonly SimulatedDisk disk = new(VolumeKind.Ext4, new SimulatedClock());

    [Fact]
    public void Modes_lose_the_bytes_zero_them_or_keep_them()
    {
        var file = disk.Attach().CreateNew("/a")!;
        file.Write([1, 2, 3], 0);
        file.Flush();
        file.Write([9, 9, 9], 2);

        Assert.Equal([1, 2, 9, 9, 9], BytesAfter(PowerCutMode.KeepsAll));
        Assert.Equal([1, 2, 3], BytesAfter(PowerCutMode.LosesBytes));
        Assert.Equal([1, 2, 3, 0, 0], BytesAfter(PowerCutMode.ZeroesBytes));
        Assert.Equal([1, 2, 3], BytesAfter(PowerCutMode.LosesAll));
    }

    [Fact]
    public void Names_may_be_lost_though_the_bytes_are_kept()
    {
        var client = disk.Attach();
        using var kept = client.CreateNew("/a")!;
        kept.Flush();
        kept.Write([1], 0);
        using var lost = client.CreateNew("/b")!;

        Assert.Equal([1], BytesAfter(PowerCutMode.LosesNames));
        Assert.Equal(["a"], disk.AfterPowerCut(new(PowerCutMode.LosesNames)).Attach().List("/"));
    }

    [Fact]
    public void Lost_shortening_brings_the_bytes_back()
    {
        var file = disk.Attach().CreateNew("/a")!;
        file.Write([1, 2, 3, 4], 0);
        file.Flush();
        file.SetLength(1);
        file.SetLength(3);

        Assert.Equal([1, 0, 0], BytesAfter(PowerCutMode.KeepsAll));
        Assert.Equal([1, 2, 3, 4], BytesAfter(PowerCutMode.LosesAll));
    }

    [Fact]
    public void Tears_give_each_unit_a_version_of_its_own()
    {
        const int Unit = 512;
        var file = disk.Attach().CreateNew("/a")!;
        file.Write(Filled(4 * Unit, 1), 0);
        file.Flush();
        file.Write(Filled(4 * Unit, 2), 0);
        file.Write(Filled(2 * Unit, 3), 4 * Unit);

        var pictures = new HashSet<string>();
        for (var seed = 1; seed <= Seeds; seed++)
        {
            var bytes = BytesAfter(PowerCutMode.Tears, seed);
            Assert.True(bytes.Length is 4 * Unit or 6 * Unit, $"seed {seed}: {bytes.Length} bytes");
            var units = bytes.Chunk(Unit).Select(unit => Assert.Single(unit.Distinct())).ToList();
            Assert.All(units.Take(4), unit => Assert.True(unit is 1 or 2, $"seed {seed}"));
            Assert.All(units.Skip(4), unit => Assert.True(unit is 0 or 3, $"seed {seed}"));
            pictures.Add(string.Join(' ', units));
        }

        Assert.Contains("1 2 1 2", pictures.Select(picture => picture[..7]));
        Assert.Contains(pictures, picture => picture.EndsWith("0 3"));
    }

    [Theory]
    [InlineData("Random")]
    [InlineData("Tears")]
    public void Overwritten_bytes_may_be_those_of_any_moment_since_the_flush(string mode)
    {
        var file = disk.Attach().CreateNew("/a")!;
        file.Write([1], 0);
        file.Flush();
        file.Write([2], 0);
        file.Write([3], 0);

        var found = Enumerable.Range(1, Seeds).Select(seed => Assert.Single(BytesAfter(Enum.Parse<PowerCutMode>(mode), seed)));
        Assert.Equal([1, 2, 3], found.Distinct().Order().ToArray());
    }

    [Fact]
    public void Same_seed_leaves_the_same()
    {
        var system = disk.Attach();
        foreach (var name in (string[])["/b", "/a", "/c"])
            system.CreateNew(name)!.Write(Filled(3000, 7), 0);

        for (var seed = 1; seed <= Seeds; seed++)
        {
            var (one, other) =
                (disk.AfterPowerCut(new(PowerCutMode.Tears, seed)).Attach(), disk.AfterPowerCut(new(PowerCutMode.Tears, seed)).Attach());
            Assert.Equal(one.List("/"), other.List("/"));
            Assert.All(one.List("/"), name => Assert.Equal(Bytes(one, "/" + name), Bytes(other, "/" + name)));
        }
    }

    [Fact]
    public void Cut_after_an_operation_lets_it_be_done_and_no_other()
    {
        var system = disk.Attach();
        disk.CutAfter(2);
        var file = system.CreateNew("/a")!;
        Assert.Equal(0, file.Read(new byte[1], 0));
        file.Write([1], 0);

        Assert.Throws<PowerCutException>(() => file.Flush());
        Assert.Throws<PowerCutException>(() => file.Read(new byte[1], 0));
        Assert.Throws<PowerCutException>(() => disk.Attach().GetKind("/a"));
        Assert.Throws<PowerCutException>(() => system.Pause(TimeSpan.Zero));
        file.Dispose();
        Assert.Equal([1], BytesAfter(PowerCutMode.KeepsAll));
    }

    [Fact]
    public void Cut_may_come_after_a_read_too()
    {
        disk.CountsReads = true;
        var system = disk.Attach();
        disk.CutAfter(1);
        Assert.Empty(system.List("/"));
        Assert.Throws<PowerCutException>(() => system.List("/"));
    }

    [Fact]
    public void Cut_during_a_write_lets_a_part_arrive()
    {
        var file = disk.Attach().CreateNew("/a")!;
        disk.CutDuring(2, arrivingShare: 0.75);
        file.Write([1], 0);

        Assert.Throws<PowerCutException>(() => file.Write([2, 2, 2, 2], 1));
        Assert.Equal([1, 2, 2, 2], BytesAfter(PowerCutMode.KeepsAll));
    }

    [Fact]
    public void Cut_during_a_flush_leaves_it_undone()
    {
        var file = disk.Attach().CreateNew("/a")!;
        file.Write([1], 0);
        disk.CutDuring(1);

        Assert.Throws<PowerCutException>(() => file.Flush());
        Assert.Equal(EntryKind.Missing, disk.AfterPowerCut(new(PowerCutMode.LosesAll)).Attach().GetKind("/a"));
    }

    [Fact]
    public void Locks_are_free_after_a_cut_and_the_run_before_it_goes_on_when_it_was_only_looked_at()
    {
        var file = disk.Attach().CreateNew("/a")!;
        file.Flush();
        Assert.True(file.TryLock(7));

        using var found = disk.AfterPowerCut(new(PowerCutMode.LosesAll)).Attach().Open("/a", FileOpening.ReadWrite)!;
        Assert.True(found.TryLock(7));
        found.Write([1], 0);
        Assert.Equal(0, file.GetLength());
        file.Write([1, 2], 0);
        Assert.Equal(2, disk.AfterPowerCut(new(PowerCutMode.KeepsAll)).UsedBytes);
    }

    [Fact]
    public void Trace_names_every_operation()
    {
        disk.Trace = [];
        var system = disk.Attach();
        system.CreateFolder("/s");
        using (var file = system.CreateNew("/s/a")!)
        {
            file.Write([1, 2], 0);
            file.Flush();
        }

        system.Move("/s/a", "/s/b");
        Assert.Equal(
            ["CreateFolder /s", "CreateNew /s/a", "Write /s/a 2 @0", "Flush /s/a", "Close /s/a", "Move /s/a -> /s/b"],
            disk.Trace.Select(operation => operation.ToString()));
        Assert.Equal(5, disk.OperationCount);
    }

    private byte[] BytesAfter(PowerCutMode mode, int seed = 0)
    {
        // The name is not what is asked here.
        disk.Root.DurableEntries["a"] = disk.Root.Entries["a"];
        return Bytes(disk.AfterPowerCut(new PowerCut(mode, seed)).Attach(), "/a");
    }

    private static byte[] Bytes(SimulatedFileSystem system, string path)
    {
        var buffer = new byte[10_000];
        return buffer[..system.ReadPastCache(path, buffer, 0)!.Value];
    }

    private static byte[] Filled(int count, byte value) => [.. Enumerable.Repeat(value, count)];
}
