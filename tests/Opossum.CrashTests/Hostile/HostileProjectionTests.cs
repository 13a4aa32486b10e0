using System.Text;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Files of a projection that no leader wrote, although their checksums fit, or that are far too long: named as the damage that they are,
/// in little memory.
/// </summary>
public sealed class HostileProjectionTests
{
    private const string Id = "0199e0c1-0000-7000-8000-00000000002a";

    private static readonly Guid request = Guid.Parse(Id);

    // What a file of each kind says, and parts of it with what they must not be.
    private static readonly Dictionary<string, (string Text, string[] Forgeries)> kinds = new()
    {
        ["model"] = (
            $"{{\n  \"format\": 1,\n  \"name\": \"counts\",\n  \"version\": 1,\n  \"id\": \"{Id}\",\n  \"begun\": \"2026-01-01T00:00:00Z\",\n  "
                + "\"requests\": []",
            ["\"format\": 1=>\"format\": \"1\"", "\"format\": 1=>\"format\": 1.5", "\"format\": 1=>\"format\": 0",
                "\"version\": 1=>\"version\": 99999999999", "\"version\": 1=>\"version\": -1", "\"version\": 1=>\"vision\": 1",
                $"\"{Id}\"=>\"{Id[1..]}\"", $"\"{Id}\"=>null", "[]=>{}", "[]=>[1]", "[]=>[null]", "[]=>null",
                "\"format\": 1=>\"format\": 1, \"format\": 1", "{=>[{", "{=>{{"]),
        ["checkpoint"] = (
            $"{{\n  \"position\": 3,\n  \"id\": \"{Id}\",\n  \"tags\": [[1, 20]]",
            ["3,=>-3,", "3,=>3.5,", "3,=>\"3\",", "3,=>99999999999999999999,", "\"position\"=>\"place\"", $"\"{Id}\"=>\"\"", "[[1, 20]]=>[1]",
                "[[1, 20]]=>[[1]]", "[[1, 20]]=>[[1, -20]]", "[[1, 20]]=>[[1, 20, 3]]", "[[1, 20]]=>\"none\"", "\"tags\"=>\"tag\""]),
        ["fault"] = (
            "{\n  \"position\": 3,\n  \"eventType\": \"counted\",\n  \"error\": \"No.\",\n  \"at\": \"2026-01-01T00:00:00Z\"",
            ["3,=>-3,", "3,=>true,", "\"counted\"=>null", "\"counted\"=>1", "\"counted\"=>\"\\ud800\"", "\"No.\"=>[]", "\"2026=>\"20266",
                "\"at\"=>\"on\""]),
        ["request"] = (
            "{\n  \"kind\": \"Skip\",\n  \"position\": 3,\n  \"reason\": \"It was a mistake.\"",
            ["\"Skip\"=>\"Delete\"", "\"Skip\"=>\"7\"", "\"Skip\"=>null", "\"Skip\"=>1", "\"kind\"=>\"kin\"", "3,=>-3,", "3,=>{},",
                "\"It was a mistake.\"=>null"]),
        ["skip"] = (
            $"{{\n  \"version\": 1,\n  \"position\": 3,\n  \"id\": \"{Guid.AllBitsSet}\",\n  \"eventType\": \"counted\",\n  "
            + "\"reason\": \"It was a mistake.\"",
            ["\"version\": 1=>\"version\": 2", "3,=>4,", "3,=>\"3\",", "\"position\"=>\"place\"", "\"id\"=>\"key\"",
                "\"It was a mistake.\"=>null"]),
        ["state"] = (
            "{\n  \"key\": \"a\",\n  \"position\": 3,\n  \"tags\": [\n    \"parity:odd\"\n  ],\n  \"state\": {\n    \"number\": 1,\n    "
                + "\"first\": 3\n  }",
            ["\"a\"=>\"b\"", "\"a\"=>\"\"", "\"a\"=>null", "\"a\"=>\"\\ud800\"", "\"position\": 3=>\"position\": 0",
                "\"position\": 3=>\"position\": 1e3", "\"parity:odd\"=>\":odd\"", "\"parity:odd\"=>1",
                "{\n    \"number\": 1=>[{\n    \"number\": 1", "\"number\": 1=>\"number\": {}", "\"number\": 1=>\"number\": 9999999999999",
                "\"first\": 3\n  }=>\"first\": 3\n  },\n  \"more\": 1", "\"tags\"=>\"tag\"", "\"state\"=>\"states\""]),
    };

    public static TheoryData<string, string> Forgeries => [.. kinds.SelectMany(kind => kind.Value.Forgeries.Select(forgery => (kind.Key, forgery)))];

    [Theory]
    [MemberData(nameof(Forgeries))]
    public void A_file_that_no_leader_writes_is_named_as_damaged(string kind, string forgery)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var text = kinds[kind].Text;
        Put(place, kind, text);
        Assert.True(Read(place, kind));

        var parts = forgery.Split("=>");
        Assert.Contains(parts[0], text, StringComparison.Ordinal);
        Put(place, kind, text.Replace(parts[0], parts[1], StringComparison.Ordinal));
        var damage = Assert.Throws<DamagedFileException>(() => Read(place, kind));
        Assert.Equal(PathOf(place, kind), damage.Path);
        Assert.NotEmpty(damage.Problem);
    }

    [Theory]
    [InlineData("model")]
    [InlineData("fault")]
    [InlineData("request")]
    [InlineData("skip")]
    [InlineData("state")]
    public void White_space_that_an_editor_changed_is_no_damage_and_any_other_edit_is(string kind)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        Put(place, kind, kinds[kind].Text);
        var path = PathOf(place, kind);
        var text = Encoding.UTF8.GetString(place.Bytes(path));
        foreach (var touched in (string[])[text.Replace("\n", "\r\n", StringComparison.Ordinal), $"\uFEFF{text}",
            text.Replace("\n", "", StringComparison.Ordinal), text.Replace("  ", "\t", StringComparison.Ordinal), $"\n{text.TrimEnd()} \r\n\n"])
        {
            place.Put(path, Encoding.UTF8.GetBytes(touched));
            Assert.True(Read(place, kind));
        }
        place.Put(path,
            Encoding.UTF8.GetBytes(text.Replace("\"position\": 3", "\"position\": 4", StringComparison.Ordinal).Replace("\"version\": 1",
                "\"version\": 2", StringComparison.Ordinal)));
        Assert.Contains("does not match its checksum", Assert.Throws<DamagedFileException>(() => Read(place, kind)).Problem,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("model")]
    [InlineData("checkpoint")]
    [InlineData("fault")]
    [InlineData("request")]
    [InlineData("skip")]
    [InlineData("state")]
    public void A_file_of_terabytes_is_named_and_not_read(string kind)
    {
        using var place = StorePlace.InFolder();
        Put(place, kind, kinds[kind].Text);
        using (var stream = File.OpenWrite(PathOf(place, kind)))
            stream.SetLength(1L << 40);
        using var fileSystem = place.Attach();

        DamagedFileException? damage = null;
        Allocations.AssertBounded(0, 0, () => damage = Assert.Throws<DamagedFileException>(() => Read(place, kind, fileSystem)));
        Assert.Equal(PathOf(place, kind), damage!.Path);
        Assert.Contains("is longer than", damage.Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void A_tag_log_of_terabytes_is_read_as_far_as_it_is_one()
    {
        using var place = StorePlace.InFolder();
        var path = Path.Combine(place.Root, "tags.0000000001.log");
        place.Put(path, Encoding.UTF8.GetBytes(Line("{\"key\":\"a\",\"position\":3,\"tags\":[\"parity:odd\"]}")));
        var length = new FileInfo(path).Length;
        using (var stream = File.OpenWrite(path))
            stream.SetLength(1L << 40);
        using var fileSystem = place.Attach();
        var taken = 0;
        Allocations.AssertBounded(0, 0,
            () => Assert.Equal((length, false), TagLog.Read(fileSystem, path, 0, long.MaxValue, 64 * 1024, (_, _, _) => taken++)));
        Assert.Equal(1, taken);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("{\"key\":\"a\",\"position\":3}")]
    [InlineData("{\"key\":null,\"position\":3,\"tags\":[]}")]
    [InlineData("{\"key\":\"a\",\"position\":-3,\"tags\":[]}")]
    [InlineData("{\"key\":\"a\",\"position\":\"3\",\"tags\":[]}")]
    [InlineData("{\"key\":\"a\",\"position\":3,\"tags\":[1]}")]
    [InlineData("{\"key\":\"a\",\"position\":3,\"tags\":[null]}")]
    [InlineData("{\"key\":\"a\",\"position\":3,\"tags\":[\":no key\"]}")]
    [InlineData("{\"key\":\"a\",\"position\":3,\"tags\":{}}")]
    [InlineData("{\"key\":\"a\",\"position\":3,\"tags\":[]} more")]
    [InlineData("{\"key\":\"\\ud800\",\"position\":3,\"tags\":[]}")]
    public void A_line_of_a_tag_log_that_no_leader_writes_is_none(string content)
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        place.Put("/log", Encoding.UTF8.GetBytes(Line(content)));
        Assert.Equal((0, false), TagLog.Read(place.Attach(), "/log", 0, long.MaxValue, 64 * 1024, (_, _, _) => Assert.Fail("It was taken for a line.")));
    }

    [Theory]
    [InlineData("{ \"kind\": \"Retry\" }")]
    [InlineData("forged")]
    [InlineData("a folder")]
    [InlineData("")]
    public void A_request_that_is_none_stops_nobody_and_stays(string text)
    {
        var leader = Counting();
        var path = leader.Layout.RequestFile(request);
        using var place = StorePlace.On(leader.Client.Disk);
        if (text == "a folder")
            place.CreateFolder(path);
        else
            place.Put(path, text == "forged" ? Forgery.Of(Encoding.UTF8.GetBytes("{\n  \"kind\": 5")) : Encoding.UTF8.GetBytes(text));
        leader.Append(Counts.Counted("a"));
        leader.Run();
        leader.CheckExact();
        leader.RequestRebuild();
        leader.Run();
        leader.CheckExact();
        Assert.True(place.Exists(path));
        Assert.Equal([request], LeaderRequest.List(leader.Client, leader.Layout));
    }

    [Fact]
    public void More_requests_than_one_build_may_name_are_all_fulfilled()
    {
        var leader = Counting();
        for (var count = 0; count < ProjectionLayout.RequestsMax + 5; count++)
            leader.RequestRebuild();
        leader.Run();
        Assert.Empty(LeaderRequest.List(leader.Client, leader.Layout));
        leader.CheckExact();
    }

    [Theory]
    [InlineData("live.999999999999999")]
    [InlineData("rebuild.999999999999950")]
    [InlineData("old.999999999999999")]
    public void A_name_with_a_number_beyond_those_of_leaders_is_refused_by_name(string name)
    {
        var leader = Counting();
        leader.Client.Kill();
        using var place = StorePlace.On(leader.Client.Disk);
        place.CreateFolder(Path.Combine(leader.Layout.Root, name));
        var next = new SteppedProjection(leader.Client.Disk.Attach());
        Assert.Contains(leader.Layout.Root, Assert.Throws<FileSystemException>(next.Run).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("live.9223372036854775807")]
    [InlineData("live.1000000000000000")]
    [InlineData("live.-1")]
    [InlineData("live.")]
    [InlineData("live.1.2")]
    [InlineData("Live.0000000009")]
    public void A_name_that_no_leader_gives_is_passed_over(string name)
    {
        var leader = Counting();
        leader.Client.Kill();
        using var place = StorePlace.On(leader.Client.Disk);
        place.CreateFolder(Path.Combine(leader.Layout.Root, name));
        var next = new SteppedProjection(leader.Client.Disk.Attach());
        next.Run();
        next.CheckExact();
    }

    [Theory]
    [InlineData("numbers are taken up to 9223372036854775807\n")]
    [InlineData("numbers are taken up to 9999999999999999\n")]
    [InlineData("numbers are taken up to -5\n")]
    [InlineData("numbers are taken up to \n")]
    [InlineData("")]
    public void Whatever_the_lock_file_says_a_leader_takes_higher_numbers(string text)
    {
        var leader = Counting();
        leader.Client.Kill();
        using var place = StorePlace.On(leader.Client.Disk);
        place.Put(leader.Layout.LockFile, Encoding.UTF8.GetBytes(text));
        var next = new SteppedProjection(leader.Client.Disk.Attach());
        next.Append(Counts.Counted("a"));
        next.Run();
        next.CheckExact();
    }

    [Fact]
    public void Foreign_files_among_the_states_are_passed_over_and_a_state_under_anothers_name_is_named()
    {
        var leader = Counting();
        using var place = StorePlace.On(leader.Client.Disk);
        var path = leader.Live.StateFile("a");
        var state = place.Bytes(path);
        foreach (var name in (string[])["a (conflicted copy).json", "A.json", ".a.json.Xa1b2C", "a.json~", "desktop.ini"])
            place.Put(Path.Combine(Path.GetDirectoryName(path)!, name), state);
        leader.CheckExact();
        var other = Path.Combine(Path.GetDirectoryName(path)!, "b.json");
        place.Put(other, state);
        var damage = Assert.Throws<ProjectionException>(() => leader.ReadAll());
        Assert.Equal(other, damage.Path);
    }

    internal static void Put(StorePlace place, string kind, string text)
    {
        var bytes = Forgery.Of(Encoding.UTF8.GetBytes(text));
        if (kind == "checkpoint")
            bytes = [.. bytes, .. Enumerable.Repeat((byte)' ', 1024 - bytes.Length)];
        place.Put(PathOf(place, kind), bytes);
    }

    internal static string PathOf(StorePlace place, string kind)
    {
        var layout = new ProjectionLayout(place.Layout.Projections, "counts");
        var live = layout.Generation(GenerationKind.Live, 7);
        return kind switch
        {
            "model" => live.ModelFile,
            "checkpoint" => live.CheckpointFile(7),
            "fault" => live.FaultFile,
            "request" => layout.RequestFile(request),
            "skip" => layout.SkipFile(1, 3),
            _ => live.StateFile("a"),
        };
    }

    // Whether there is one.
    internal static bool Read(StorePlace place, string kind, IFileSystem? fileSystem = null)
    {
        fileSystem ??= place.Attach();
        var layout = new ProjectionLayout(place.Layout.Projections, "counts");
        var live = layout.Generation(GenerationKind.Live, 7);
        switch (kind)
        {
            case "model":
                return GenerationModel.Read(fileSystem, live) is not null;
            case "checkpoint":
                return Checkpoint.ReadNewest(fileSystem, live, fileSystem.List(live.Folder)) is not null;
            case "fault":
                return FaultFile.Read(fileSystem, live) is not null;
            case "request":
                return LeaderRequest.Read(fileSystem, layout, request) is not null;
            case "skip":
                return new Skips(fileSystem, layout, 1, damage => throw damage).Contains(new EventAt(3, Guid.AllBitsSet));
            default:
                return new StateFiles<Count>(fileSystem, new Counts(), new StatesWithoutKeys()).Read(live, "a") is not null;
        }
    }

    internal static string TextOf(string kind) => kinds[kind].Text;

    internal static string Line(string content) => $"{Opossum.Serialization.Crc32C.Of(Encoding.UTF8.GetBytes(content)):x8} {content}\n";

    private static SteppedProjection Counting()
    {
        var leader = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach());
        leader.Append(Counts.Counted("a"), Counts.Counted("c"));
        leader.Run();
        return leader;
    }
}
