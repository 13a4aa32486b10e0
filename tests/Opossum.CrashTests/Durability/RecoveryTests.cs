using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

public sealed class RecoveryTests(ITestOutputHelper output)
{
    private static readonly StoreLayout layout = new(SteppedStore.Root);

    private readonly SimulatedClock clock = new();
    private readonly History history = new();
    private readonly ListLogger log = new();

    // A server that loses what it said it had: the index alone is left, and has to be derived again up to where the event files end.
    [Theory]
    [InlineData("Ext4")]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    [InlineData("Fuse")]
    public void Recovery_ends_where_the_bytes_of_the_last_events_and_of_their_lines_are_lost(string kind)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), clock);
        Scenarios.Append(3)(disk, history);
        var client = disk.Attach();
        foreach (var lost in (string[])[layout.EventFile(2), layout.EventFile(3), layout.EventFile(4)])
        {
            using var file = client.Open(lost, FileOpening.ReadWrite)!;
            file.SetLength(0);
            file.Flush();
        }
        using (var segment = client.Open(layout.Segment(0), FileOpening.ReadWrite)!)
        {
            segment.SetLength(32);
            segment.Flush();
        }
        var operations = 0;
        client.BeforeOperation = _ => Assert.True(++operations < 20_000, "It does not end.");

        var store = SteppedStore.Open(client, logger: log);
        store.Append(history.New());

        Assert.Equal(2, store.Head);
        Assert.Contains(log.Lines, line => line.StartsWith("Moved the event files of positions 2 to 4 to", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public void Whole_append_of_a_process_that_ended_before_it_was_indexed_is_taken_in(int patience)
    {
        var disk = Disk(VolumeKind.Smb);
        FaultScenarios.KillAt(disk, OperationKind.Write, "types-and-tags.idx", history.New(2));
        var store = SteppedStore.Open(disk.Attach(), patience: TimeSpan.FromSeconds(patience), logger: log);

        Assert.Equal(5, store.Head);
        Assert.Contains(log.Lines, line => line.StartsWith("Added the events at positions 4 to 5", StringComparison.Ordinal));
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind(layout.Quarantine));
        Promises.Check(disk, history);
    }

    [Fact]
    public void Incomplete_append_is_set_aside_under_its_own_names_and_told_of()
    {
        var disk = Disk(VolumeKind.Ext4);
        LeaveIncomplete(disk, events: 3);
        var store = SteppedStore.Open(disk.Attach(), logger: log);

        Assert.Equal(3, store.Head);
        var line = Assert.Single(log.Lines, each => each.StartsWith("Moved the event files", StringComparison.Ordinal));
        var folder = layout.Quarantine + "/20260101T000000.000Z";
        Assert.Equal($"Moved the event files of positions 4, 5 to {folder}: an append was interrupted before it was acknowledged "
            + $"({layout.EventFile(5)} is empty).", line);
        Assert.Equal(["0000000004.json", "0000000005.json"], disk.Attach().List(folder).Order());
        Promises.Check(disk, history);
    }

    [Fact]
    public void What_was_set_aside_is_never_overwritten()
    {
        var disk = Disk(VolumeKind.Ext4);
        var kept = new List<string>();
        for (var time = 1; time <= 3; time++)
        {
            LeaveIncomplete(disk, events: 2);
            kept.Add(Text(disk, layout.EventFile(4)));
            SteppedStore.Open(disk.Attach());
        }

        var found = disk.Attach().List(layout.Quarantine).Order().Select(folder => Text(disk, $"{layout.Quarantine}/{folder}/0000000004.json"));
        Assert.Equal(3, kept.Distinct().Count());
        Assert.Equal(kept, found);
    }

    [Theory]
    [InlineData("Ext4")]
    [InlineData("Btrfs")]
    [InlineData("Posix")]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    public void What_was_set_aside_survives_a_power_cut_once_its_position_is_taken_again(string kind)
    {
        var disk = Disk(Enum.Parse<VolumeKind>(kind));
        LeaveIncomplete(disk, events: 2);
        var aside = Text(disk, layout.EventFile(4));
        SteppedStore.Open(disk.Attach()).Append(history.New());
        foreach (var cut in PowerCut.Each(seeds: Cases.Number(usually: 4, all: 20)))
        {
            var after = disk.AfterPowerCut(cut);
            var folder = Assert.Single(after.Attach().List(layout.Quarantine));
            Assert.Equal(aside, Text(after, $"{layout.Quarantine}/{folder}/0000000004.json"));
            Assert.Equal(EntryKind.Missing, after.Attach().GetKind(layout.EventFile(5)));
            Promises.Check(after, history);
        }
    }

    // A program has put the folder there and flushed no name: it is a file system where a file's flush does not cover names.
    [Fact]
    public void Folder_of_events_that_an_opening_takes_in_survives_a_power_cut()
    {
        var disk = Disk(VolumeKind.Posix);
        var client = disk.Attach();
        client.MoveFolder(layout.Events, SteppedStore.Root + ".copy");
        client.FlushFolder(SteppedStore.Root);
        client.Delete(layout.IndexFile);
        client.MoveFolder(SteppedStore.Root + ".copy", layout.Events);
        SteppedStore.Open(disk.Attach()).Append(history.New());

        Promises.Check(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesNames)), history);
    }

    [Fact]
    public void Folder_of_events_that_an_ended_process_made_again_survives_a_power_cut_once_the_events_of_the_log_have_their_files()
    {
        var disk = new SimulatedDisk(VolumeKind.Posix, clock);
        SteppedStore.Open(disk.Attach(), useJournal: true).Append(history.New(2));
        var client = disk.Attach();
        // Some programs copy no empty folder.
        client.DeleteFolder(layout.Events);
        client.FlushFolder(SteppedStore.Root);
        FaultScenarios.KillAtOpening(disk, operation => operation.Kind == OperationKind.FlushFolder && operation.Path == SteppedStore.Root);
        SteppedStore.Open(disk.Attach()).Close();

        Promises.Check(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesNames)), history);
    }

    [Fact]
    public void Whole_append_behind_an_incomplete_one_is_not_taken_in_wherever_its_setting_aside_is_interrupted() => KillEverywhere(
        (disk, tried) =>
        {
            FaultScenarios.KillAt(disk, OperationKind.Write, "types-and-tags.idx", tried.New(), tried.NewUnique("a"));
            using var file = disk.Attach().Open(layout.EventFile(4), FileOpening.ReadWrite)!;
            file.SetLength(100);
        },
        (client, _) => SteppedStore.Open(client).Close());

    [Fact]
    public void Whole_append_of_a_group_that_failed_is_not_taken_in_wherever_its_removal_is_interrupted() => KillEverywhere(
        (disk, _) =>
            disk.Fail(new Fault
            {
                When = operation => operation.Kind == OperationKind.CreateNew
                && operation.Path == layout.EventFile(6),
                Error = FileError.DiskFull
            }),
        (client, tried) => SteppedStore.Open(client).Append(tried.New(), tried.NewUnique("a"), tried.New()));

    [Fact]
    public void Damage_that_a_later_event_proves_is_not_taken_for_a_crash()
    {
        foreach (var index in (string[])["kept", "deleted"])
        {
            var disk = Disk(VolumeKind.Ext4);
            var client = disk.Attach();
            SteppedStore.Open(client).Append(history.New());
            client.Delete(layout.EventFile(2));
            if (index == "deleted")
            {
                client.Delete(layout.IndexFile);
                client.Delete(layout.Segment(0));
            }
            else
            {
                using var file = client.Open(layout.IndexFile, FileOpening.ReadWrite)!;
                file.SetLength(IndexHeader.Length);
            }
            var before = Files(disk);

            var error = Assert.Throws<StoreDamagedException>(() => SteppedStore.Open(disk.Attach()));
            Assert.Equal((2, layout.EventFile(2)), (error.Position, error.Path));
            Assert.Equal(before, Files(disk));
        }
    }

    [Fact]
    public void Index_is_right_whatever_became_of_its_end()
    {
        var original = Disk(VolumeKind.Ext4);
        var bytes = Bytes(original, layout.IndexFile);
        var segment = Bytes(original, layout.Segment(0));
        (string What, string Path, byte[] Whole, Func<int, byte[]> Changed)[] ways =
        [
            ("cut at", layout.IndexFile, bytes, at => bytes[..at]),
            ("zeros from", layout.IndexFile, bytes, at => [.. bytes[..at], .. new byte[bytes.Length - at + 100]]),
            ("nonsense from", layout.IndexFile, bytes, at => [.. bytes[..at], .. bytes.Skip(at).Select(each => (byte)~each)]),
            ("segment cut at", layout.Segment(0), segment, at => segment[..at]),
        ];
        var groups = ways.Select(static way => new CaseGroup<(string What, string Path, Func<byte[]> Changed)>(() =>
            [.. Enumerable.Range(0, way.Whole.Length + 1).Select(at => ($"{way.What} {at}", way.Path, (Func<byte[]>)(() => way.Changed(at))))]));
        Cases.TryEach(groups, each =>
        {
            var disk = original.Copy();
            Put(disk, each.Path, each.Changed());
            CheckIndex(disk, each.What);
            return 1;
        }, output, share: 0.5);
    }

    [Fact]
    public void Event_of_a_damaged_line_is_read_from_its_file_and_the_next_append_mends_the_line()
    {
        var disk = Disk(VolumeKind.Ext4);
        var segment = Bytes(disk, layout.Segment(0));
        var store = Promises.Open(disk);
        var whole = Promises.Read(store, Query.All).ConvertAll(e => (e.Position, e.Id, e.Type, Encoding.UTF8.GetString(e.Json.Span)));
        // Somewhere in the line of position 3.
        segment[^700] ^= 0xff;
        Put(disk, layout.Segment(0), segment);

        Assert.Equal(whole, Promises.Read(store, Query.All).ConvertAll(e => (e.Position, e.Id, e.Type, Encoding.UTF8.GetString(e.Json.Span))));
        Assert.Contains(StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk)).Findings, each => each.Kind == FindingKind.IndexMismatch);
        Promises.Append(store, history.New().Events);
        var report = StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk));
        Assert.True(report.IsClean, report.ToString());
        store.Dispose();
    }

    [Fact]
    public void Line_of_an_event_that_had_to_give_way_does_not_come_back_after_a_power_cut()
    {
        var disk = Disk(VolumeKind.Ext4);
        var store = SteppedStore.Open(disk.Attach());
        var first = history.New();
        _ = history.New(3);
        // As long as the first one to the byte, and wants its position.
        var second = history.New();
        FaultScenarios.KillAt(disk, OperationKind.Write, "types-and-tags.idx", first);
        store.Append(second);
        // Whose lines lie in other sectors, so that they may be there when the line in question is not.
        store.Append(history.New(6));

        Assert.Equal(new AppendResult { FirstPosition = 5, LastPosition = 5 }, second.Result);
        foreach (var cut in PowerCut.Each(seeds: Cases.Number(usually: 10, all: 100)))
            Promises.Check(disk.AfterPowerCut(cut), history);
    }

    [Fact]
    public void Folder_that_has_the_name_of_the_next_event_file_is_an_error_that_names_it()
    {
        var disk = Disk(VolumeKind.Ext4);
        var store = SteppedStore.Open(disk.Attach());
        disk.Attach().CreateFolder(layout.EventFile(4));
        var refused = history.New(2);
        store.Append(refused);

        Assert.Equal(Answer.NothingWritten, refused.Answer);
        Assert.Contains(layout.EventFile(4), refused.Error!.Message, StringComparison.Ordinal);
        Assert.Equal(3, store.ReadAll().Count);
    }

    [Theory]
    [InlineData("Smb", 0)]
    [InlineData("Smb", 10)]
    [InlineData("Nfs", 0)]
    [InlineData("Nfs", 10)]
    public void Incomplete_append_of_a_live_host_whose_lock_failed_is_given_time_and_taken_in_when_it_completes(string kind, int secondsStale)
    {
        var disk = Disk(Enum.Parse<VolumeKind>(kind));
        var slow = LeaveIncomplete(disk, events: 3);
        var client = disk.Attach(TimeSpan.FromSeconds(secondsStale));
        var rest = 3;
        client.BeforeOperation = operation =>
        {
            // The host that was slow continues while this one waits.
            if (operation.Kind == OperationKind.Pause && rest-- == 0)
                Complete(disk, slow);
        };
        var store = SteppedStore.Open(client, logger: log);

        Assert.Equal(6, store.Head);
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind(layout.Quarantine));
        Promises.Check(disk, history);
    }

    [Theory]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    public void Incomplete_append_of_another_host_is_set_aside_when_its_time_is_up(string kind)
    {
        var disk = Disk(Enum.Parse<VolumeKind>(kind));
        LeaveIncomplete(disk, events: 3);
        var before = clock.GetUtcNow();
        var store = SteppedStore.Open(disk.Attach(), logger: log);

        Assert.Equal(3, store.Head);
        Assert.InRange(clock.GetUtcNow() - before, TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(6));
        Assert.Single(log.Lines, each => each.StartsWith("Moved the event files", StringComparison.Ordinal));
        Promises.Check(disk, history);
    }

    [Theory]
    [InlineData("Smb")]
    [InlineData("Nfs")]
    public void Recovery_that_loses_the_lock_does_not_count_what_another_host_has_set_aside(string kind)
    {
        var disk = Disk(Enum.Parse<VolumeKind>(kind));
        var (slow, other) = (SteppedStore.Open(disk.Attach()), SteppedStore.Open(disk.Attach()));
        FaultScenarios.KillAt(disk, OperationKind.Write, "types-and-tags.idx", history.New(2));
        slow.Client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Flush || operation.Path != layout.EventFile(4))
                return;
            slow.Client.BeforeOperation = null;
            slow.Client.LoseConnection();
            disk.Attach().Delete(layout.EventFile(5));
            other.Append(history.New(2));
        };
        var refused = history.New();
        slow.Append(refused);

        Assert.Equal(AppendOutcome.NothingWritten, Assert.IsType<StoreFaultedException>(refused.Error).Outcome);
        Assert.Equal(5, SteppedStore.Open(disk.Attach()).Head);
        Promises.Check(disk, history);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Host_that_woke_up_late_writes_again_what_it_wrote_into_the_event_of_another(bool canReadIndex)
    {
        var disk = Disk(VolumeKind.Smb);
        var (late, other) = (SteppedStore.Open(disk.Attach(), logger: log), SteppedStore.Open(disk.Attach()));
        var stored = "";
        late.Client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Write || operation.Path != layout.EventFile(4))
                return;
            late.Client.BeforeOperation = null;
            late.Client.LoseConnection();
            other.Append(history.New(2));
            stored = Text(disk, layout.EventFile(4));
            if (!canReadIndex)
            {
                disk.Fail(new Fault
                {
                    When = each => each.Client == late.Client && each.Kind == OperationKind.ReadPastCache
                    && each.Path == layout.IndexFile,
                    Error = FileError.Other
                });
            }
        };
        var told = history.New();
        late.Append(told);

        Assert.Equal(AppendOutcome.Unknown, Assert.IsType<StoreFaultedException>(told.Error).Outcome);
        if (canReadIndex)
        {
            Assert.Equal(stored, Text(disk, layout.EventFile(4)));
            Assert.Contains(log.Lines,
                static line => line.StartsWith("Restored the event file of position 4 from the index", StringComparison.Ordinal));
            Promises.Check(disk, history);
        }
        else
        {
            Assert.NotEqual(stored, Text(disk, layout.EventFile(4)));
            Assert.Contains(log.Lines,
                static line => line.Contains("event files of positions 4 to 4, and they could not be verified", StringComparison.Ordinal));
        }
    }

    // Another process has the store open, and continues with an append that what was left behind would contradict.
    private void KillEverywhere(Action<SimulatedDisk, History> before, Action<SimulatedFileSystem, History> play)
    {
        var isKilled = true;
        for (var operations = 1; isKilled; operations++)
        {
            var (disk, tried) = (new SimulatedDisk(VolumeKind.Ext4, clock), new History());
            Scenarios.Append(2)(disk, tried);
            var other = SteppedStore.Open(disk.Attach());
            before(disk, tried);
            var client = disk.Attach();
            client.KillAfter(operations);
            try
            {
                play(client, tried);
            }
            catch (ProcessKilledException)
            {
                // The other continues.
            }
            isKilled = client.IsKilled;
            disk.Mend();
            other.Append(tried.NewUnique("a"));
            Promises.Check(disk, tried);
        }
    }

    private SimulatedDisk Disk(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, clock);
        Scenarios.Append(2)(disk, history);
        return disk;
    }

    private Attempt LeaveIncomplete(SimulatedDisk disk, int events)
    {
        var attempt = history.New(events);
        FaultScenarios.KillAmidFiles(disk, attempt);
        return attempt;
    }

    // Writes what the other host would have written.
    private static void Complete(SimulatedDisk disk, Attempt attempt)
    {
        var copy = disk.Copy();
        var client = copy.Attach();
        SteppedStore.Open(client, patience: TimeSpan.Zero).Append(attempt.Copy());
        for (var position = 4; position <= 6; position++)
            Put(disk, layout.EventFile(position), Bytes(copy, layout.EventFile(position)));
    }

    private void CheckIndex(SimulatedDisk disk, string what)
    {
        try
        {
            var ids = Promises.Check(disk, history);
            Assert.Equal(5, ids.Count);
        }
        catch (Exception e)
        {
            throw new InvalidOperationException($"{what}: {e.Message}", e);
        }
    }

    private static void Put(SimulatedDisk disk, string path, byte[] bytes)
    {
        using var file = disk.Attach().Open(path, FileOpening.ReadWriteOrCreate)!;
        file.SetLength(0);
        file.Write(bytes, 0);
        file.Flush();
    }

    private static byte[] Bytes(SimulatedDisk disk, string path)
    {
        var buffer = new byte[100_000];
        return buffer[..disk.Attach().ReadPastCache(path, buffer, 0)!.Value];
    }

    private static string Text(SimulatedDisk disk, string path) => Encoding.UTF8.GetString(Bytes(disk, path));

    // All files but the index and the log, which are derived, and the lock's, whose text tells who had it.
    private static string Files(SimulatedDisk disk)
    {
        var client = disk.Attach();
        return string.Join('\n',
            Below(SteppedStore.Root).Order().Where(path => path != layout.LockFile
                && !path.StartsWith(layout.Index, StringComparison.Ordinal) && !path.StartsWith(layout.Log, StringComparison.Ordinal))
            .Select(path => $"{path} {Convert.ToHexString(Bytes(disk, path))}"));

        IEnumerable<string> Below(string folder) => client.List(folder).Select(name => $"{folder}/{name}")
            .SelectMany(path => client.GetKind(path) == EntryKind.Folder ? Below(path) : [path]);
    }
}
