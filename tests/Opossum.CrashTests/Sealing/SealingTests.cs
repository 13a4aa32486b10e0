using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Folders are sealed and unsealed; the power is cut, the process killed, or an operation fails, at every step.</summary>
public sealed class SealingTests(ITestOutputHelper output)
{
    private static readonly FileError[] errors = [FileError.Other, FileError.DiskFull, FileError.AccessDenied, FileError.InUse];

    private static readonly Scenario[] scenarios = SealedStores.Scenarios;

    [Fact]
    public void The_first_failure_is_reported_when_the_end_of_the_run_fails_too()
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var layout = SealedStores.Layout;
        using (var file = disk.Attach().Open(layout.EventFile(5), FileOpening.ReadWrite)!)
            file.SetLength(10);
        disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.FlushFolder && operation.Path == layout.Events,
            Error = FileError.Other,
            Lasts = true,
        });

        Assert.Equal(5, Assert.Throws<StoreDamagedException>(() => SealedStores.Seal(disk.Attach())).Position);
    }

    [Fact]
    public void The_event_files_of_another_store_at_the_same_path_are_not_removed()
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var layout = SealedStores.Layout;
        var client = disk.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Delete || operation.Path != layout.EventFile(2))
                return;
            client.BeforeOperation = null;
            using var others = disk.Attach();
            others.MoveFolder(SteppedStore.Root, "/elsewhere");
            others.CreateFolder(SteppedStore.Root);
            SteppedStore.Open(disk.Attach()).Append(new History().New(10));
        };

        Assert.Throws<StoreMaintenanceException>(() => SealedStores.Seal(client));
        // The one whose removal had begun may be gone.
        Assert.Equal([1, 3, 4, 5, 6, 7, 8, 9, 10], SealedStores.EventFiles(disk).Keys);
    }

    [Fact]
    public void Sealed_files_take_the_place_of_event_files_and_give_them_back_byte_for_byte()
    {
        foreach (var kind in VolumeKinds.All)
        {
            var (disk, history) = scenarios[0].On(kind).Begin();
            var before = SealedStores.EventFiles(disk);
            var head = before.Keys.Max();

            var report = SealedStores.Seal(disk.Attach());

            Assert.Equal((3, 3 * SealedStores.Positions - 1), (report.Folders, report.Events));
            Assert.Equal(["0000000000.jsonl", "0000000020.jsonl", "0000000040.jsonl"], SealedStores.SealedFiles(disk));
            Assert.Equal(Enumerable.Range(60, (int)head - 59).Select(static each => (long)each), SealedStores.EventFiles(disk).Keys);
            SealedStores.AssertClean(disk);
            Assert.Equal(0, SealedStores.Seal(disk.Attach()).Folders);
            Promises.Check(disk, history);
            Assert.Equal((2, 2 * SealedStores.Positions), Of(SealedStores.Unseal(disk.Attach(), from: 25, upTo: 45)));
            Assert.Equal((1, SealedStores.Positions - 1), Of(SealedStores.Unseal(disk.Attach())));
            SealedStores.Seal(disk.Attach());
            // The last position of one folder and the first of the next one.
            Assert.Equal((1, SealedStores.Positions - 1), Of(SealedStores.Unseal(disk.Attach(), from: 19, upTo: 19)));
            Assert.Equal((2, 2 * SealedStores.Positions), Of(SealedStores.Unseal(disk.Attach(), from: 39, upTo: 40)));
            SealedStores.AssertClean(disk);
            var after = SealedStores.EventFiles(disk);
            Assert.All(before, each => Assert.Equal(each.Value, after[each.Key]));
        }

        static (long, long) Of(SealingReport report) => (report.Folders, report.Events);
    }

    [Fact]
    public void Sealed_file_has_the_canonical_line_of_each_event_and_a_closing_line()
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var layout = SealedStores.Layout;
        var files = Enumerable.Range(20, 20).Select(position => SealedStores.Bytes(disk.Attach(), layout.EventFile(position))).ToList();
        SealedStores.Seal(disk.Attach());

        var text = SealedStores.Bytes(disk.Attach(), layout.SealedFile(20));
        var lines = Encoding.UTF8.GetString(text).Split('\n');

        Assert.Equal(files.Select(static file => Encoding.UTF8.GetString(CanonicalText.Of(file))), lines[..20]);
        var bytes = files.Sum(static file => CanonicalText.Of(file).Length + 1);
        var starts = Enumerable.Range(0, 5).Select(block => files.Take(4 * block).Sum(static file => CanonicalText.Of(file).Length + 1));
        Assert.Equal([ClosingLine(text.AsSpan(0, bytes), 4, starts), ""], lines[20..]);
    }

    [Fact]
    public void Closing_line_that_states_fewer_lines_is_understood()
    {
        var (disk, history) = scenarios[1].On(VolumeKind.Ext4).Begin();
        var path = SealedStores.Layout.SealedFile(20);
        var text = SealedStores.Bytes(disk.Attach(), path);
        var bytes = text.AsSpan(..^1).LastIndexOf((byte)'\n') + 1;
        var ends = Enumerable.Range(0, bytes).Where(at => text[at] == '\n').ToList();
        using (var file = disk.Attach().Open(path, FileOpening.ReadWrite)!)
        {
            byte[] changed = [.. text.AsSpan(0, bytes), .. Encoding.UTF8.GetBytes(ClosingLine(text.AsSpan(0, bytes), 16, [0, ends[15] + 1]) + "\n")];
            file.Write(changed, 0);
            file.SetLength(changed.Length);
            file.Flush();
        }

        SealedStores.AssertClean(disk);
        Promises.Check(disk, history, deep: false);
    }

    [Fact]
    public void Line_that_was_edited_and_mended_in_place_is_read_again_by_an_open_store()
    {
        var (disk, _) = scenarios[1].On(VolumeKind.Ext4).Begin();
        var path = SealedStores.Layout.SealedFile(20);
        var text = SealedStores.Bytes(disk.Attach(), path);
        using var store = Promises.Open(disk);
        var edited = Encoding.UTF8.GetString(text).Replace("\"number\":27", "\"number\":2", StringComparison.Ordinal);
        Write([.. "# a note\n"u8, .. Encoding.UTF8.GetBytes(edited)]);
        Assert.Equal(path, Assert.Throws<StoreDamagedException>(() => Promises.Read(store, Query.All)).Path);

        Write(text);

        Assert.Equal(27, Promises.Read(store, Query.All)[26].Position);

        void Write(byte[] bytes)
        {
            using var file = disk.Attach().Open(path, FileOpening.ReadWrite)!;
            file.Write(bytes, 0);
            file.SetLength(bytes.Length);
        }
    }

    [Fact]
    public async Task Folder_is_sealed_once_its_last_event_is_durable()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, shardPositions: 4);
        await place.Open().AppendAsync([Events.New("moved"), Events.New("moved")]);
        place.CloseStores();
        var store = place.Open(static options => options.FlushEventsImmediately = false);
        for (var number = 3; number <= 9; number++)
            await store.AppendAsync([Events.New("moved")]);

        Assert.Equal(0, place.Seal().Folders);

        place.CloseStores();
        Assert.Equal(2, place.Seal().Folders);
    }

    [Fact]
    public void Lines_of_a_sealed_folder_are_in_its_sealed_file_alone_and_come_back()
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var segment = SealedStores.Layout.Segment(0);
        var before = SealedStores.Bytes(disk.Attach(), segment).AsSpan().TrimEnd((byte)'\n').ToArray();

        SealedStores.Seal(disk.Attach());
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind(segment));
        Assert.Equal(before, SealedStores.Bytes(disk.Attach(), SealedStores.Layout.SealedFile(0))[..before.Length]);
        SealedStores.Unseal(disk.Attach());

        Assert.Equal(before, SealedStores.Bytes(disk.Attach(), segment)[..before.Length]);
    }

    [Fact]
    public void Lines_after_sealed_folders_are_read_where_a_group_of_a_run_begins_before_them()
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var runs = new RunSettings { Length = 8, Fan = 2, LengthMax = 64 };
        var store = SteppedStore.Open(disk.Attach(), runs: runs);
        store.MakeRuns();
        var before = store.ReadAll().ConvertAll(static e => (e.Position, e.Id));
        store.Close();
        SealedStores.Seal(disk.Attach());
        store = SteppedStore.Open(disk.Attach(), runs: runs);
        // The events after the sealed ones are only where their lines are.
        foreach (var position in SealedStores.EventFiles(disk).Keys)
        {
            using var file = disk.Attach().Open(SealedStores.Layout.EventFile(position), FileOpening.ReadWrite)!;
            file.SetLength(0);
        }

        Assert.Equal(before, store.ReadAll().ConvertAll(static e => (e.Position, e.Id)));
    }

    /// <summary>Bytes that are lost between the flush and the medium, and whole lines of other events.</summary>
    [Theory]
    [InlineData("a byte")]
    [InlineData("the end")]
    [InlineData("other events")]
    public void Sealed_file_that_does_not_hold_what_was_written_gets_no_name(string wrong)
    {
        var (disk, _) = scenarios[0].On(VolumeKind.Ext4).Begin();
        var client = disk.Attach();
        var layout = SealedStores.Layout;
        var before = SealedStores.EventFiles(disk);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.Flush || !layout.IsSealedFileStaging(operation.Path[(layout.Events.Length + 1)..]))
                return;
            client.BeforeOperation = null;
            using var file = disk.Attach().Open(operation.Path, FileOpening.ReadWrite)!;
            if (wrong == "a byte")
                file.Write([(byte)'?'], 200);
            else if (wrong == "the end")
                file.SetLength(file.GetLength() - 10);
            else
                Replace(file, SealedStores.Bytes(OtherStore().Attach(), layout.SealedFile(0)));
        };

        var error = Assert.Throws<StoreMaintenanceException>(() => SealedStores.Seal(client));

        Assert.Null(client.BeforeOperation);
        Assert.Contains("does not hold the bytes", error.Message, StringComparison.Ordinal);
        Assert.Empty(SealedStores.SealedFiles(disk));
        Assert.Equal(before, SealedStores.EventFiles(disk));
        Assert.Equal(3, SealedStores.Seal(disk.Attach()).Folders);

        static SimulatedDisk OtherStore()
        {
            var (other, _) = scenarios[1].On(VolumeKind.Ext4).Begin();
            return other;
        }

        static void Replace(IFile file, byte[] bytes)
        {
            file.Write(bytes, 0);
            file.SetLength(bytes.Length);
        }
    }

    [Fact]
    public void Sealed_file_and_its_name_are_durable_before_an_event_file_is_removed()
    {
        var layout = SealedStores.Layout;
        foreach (var kind in VolumeKinds.All)
        {
            foreach (var scenario in scenarios)
                Assert.Empty(FlushOrder.FindNamedBeforeFlush(scenario.On(kind).AllOperations));
            foreach (var shard in (long[])[0, SealedStores.Positions])
            {
                var path = layout.SealedFile(shard);
                Assert.Null(FlushOrder.FindUnflushed(scenarios[0].On(kind).AllOperations,
                    operation => operation.Kind == OperationKind.Move && operation.To == path,
                    operation => operation.Kind == OperationKind.Delete
                        && operation.Path.StartsWith(layout.ShardFolder(shard) + "/", StringComparison.Ordinal),
                    SimulatedVolume.Of(kind).FileFlushCoversName ? path : layout.Events));
            }
        }
    }

    [Fact]
    public void Name_of_a_sealed_file_that_a_killed_run_left_is_durable_before_an_event_file_is_removed()
    {
        var layout = SealedStores.Layout;
        foreach (var kind in VolumeKinds.All)
        {
            var (disk, _) = scenarios[0].On(kind).Begin();
            var killed = disk.Attach();
            killed.BeforeOperation = operation =>
            {
                if (operation.IsFlush && operation.Path == (SimulatedVolume.Of(kind).FileFlushCoversName ? layout.SealedFile(0) : layout.Events))
                    killed.Kill();
            };
            Attempt.UntilTheEnd(() => SealedStores.Seal(killed));
            Assert.True(killed.IsKilled);
            Assert.Contains("0000000000.jsonl", SealedStores.SealedFiles(disk));

            disk.Trace = [];
            SealedStores.Seal(disk.Attach());

            Assert.Null(FlushOrder.FindUnflushed([new SimulatedOperation(killed, OperationKind.Move, "", 0, 0, ""), .. disk.Trace],
                static operation => operation.Kind == OperationKind.Move && operation.Path.Length == 0,
                operation => operation.Kind == OperationKind.Delete
                    && operation.Path.StartsWith(layout.ShardFolder(0) + "/", StringComparison.Ordinal),
                SimulatedVolume.Of(kind).FileFlushCoversName ? layout.SealedFile(0) : layout.Events));
        }
    }

    [Fact]
    public void Lines_of_a_folder_that_is_unsealed_are_durable_before_the_sealed_file_is_removed()
    {
        var layout = SealedStores.Layout;
        foreach (var kind in VolumeKinds.All)
        {
            var (disk, _) = scenarios[1].On(kind).Begin();
            SealedStores.Check(disk);
            disk.Trace = [];

            SealedStores.Unseal(disk.Attach());

            Assert.Null(FlushOrder.FindUnflushed(disk.Trace,
                operation => operation.Kind == OperationKind.Write && operation.Path == layout.Segment(0),
                operation => operation.Kind == OperationKind.Delete && operation.Path == layout.SealedFile(0), layout.Segment(0)));
        }
    }

    [Fact]
    public void Power_may_be_cut_at_every_step() =>
        Cases.TryEach(CrashCut.Groups(scenarios.Select(SealedStores.Crash), VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts);

    [Fact]
    public void Process_may_end_at_every_step_and_others_go_on()
    {
        Cases.TryEach(
            Groups(scenarios[..3], static on => Cut.AfterEach(on.Operations).Select(cut => new CutCase(on, cut))),
            Kill, output, share: 0.5);

        static int Kill(CutCase each)
        {
            var (disk, history) = each.On.Begin();
            var before = SealedStores.EventFilesBefore(each.On);
            var other = SteppedStore.Open(disk.Attach());
            var client = disk.Attach();
            client.KillAfter(each.Cut.Operation);
            Attempt.UntilTheEnd(() => each.On.Scenario.Play(client, history));
            Assert.True(client.IsKilled);
            var group = history.New(2);
            other.Append(group);
            Assert.Equal(Answer.Stored, group.Answer);
            Assert.Equal(other.ReadAll().Count, other.Head);
            SealedStores.CheckInterrupted(disk, history, before);
            Assert.Equal(other.ReadAll().Count, other.Head);
            return 1;
        }
    }

    [Fact]
    public void Every_operation_may_fail_once_or_from_then_on()
    {
        Cases.TryEach(
            Groups(scenarios[..3], static on => on.AllOperations.SelectMany(static _ => (bool[])[false, true], (what, lasts) => (what, lasts))
                .Select((each, at) => new FaultCase(on, at / 2 + 1, each.lasts, $"{each.what}"))),
            Fail, output, share: 0.5);

        static int Fail(FaultCase each)
        {
            var (disk, history) = each.On.Begin();
            var before = SealedStores.EventFilesBefore(each.On);
            var operations = 0;
            disk.Fail(new Fault
            {
                When = _ => Interlocked.Increment(ref operations) >= each.Operation,
                Lasts = each.Lasts,
                Error = errors[each.Operation % errors.Length],
                ArrivingShare = 0.5,
                DropsDirtyBytes = true,
            });
            try
            {
                each.On.Scenario.Play(disk.Attach(), history);
            }
            catch (Exception e) when (e is StoreMaintenanceException or StoreOpenException or StoreDamagedException or StoreLockTimeoutException)
            {
                // Its caller is told.
            }
            disk.Mend();
            var after = disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll));
            SealedStores.CheckInterrupted(disk, history, before);
            SealedStores.CheckInterrupted(after, history, before);
            return 2;
        }
    }

    [Fact]
    public void Two_processes_append_read_and_follow_while_others_seal_and_unseal()
    {
        Cases.TrySeeds(2_000, Interleave, output, share: 0.5);

        static int Interleave(int seed)
        {
            var random = new Random(seed);
            var kind = VolumeKinds.All[seed % VolumeKinds.All.Length];
            var (disk, history) = scenarios[0].On(kind).Begin();
            var interleaving = new Interleaving(random);
            var gate = new Lock();
            foreach (var each in (IEnumerable<int>)[1, 2])
            {
                var client = disk.Attach();
                interleaving.Add(client, () =>
                {
                    var store = SteppedStore.Open(client);
                    var followed = 0L;
                    for (var turn = 0; turn < 6; turn++)
                    {
                        Attempt attempt;
                        lock (gate)
                            attempt = history.New(turn * each % 9 + 1);
                        store.Append(attempt);
                        Assert.Equal(Answer.Stored, attempt.Answer);
                        var events = store.ReadAll();
                        Assert.All(events.Index(), static each => Assert.Equal(each.Index + 1, each.Item.Position));
                        Assert.All(attempt.Events, stored => Assert.Contains(events, e => e.Id == stored.Id));
                        Assert.True(events.Count >= followed);
                        followed = events.Count;
                    }
                    store.Close();
                });
            }
            var sealer = disk.Attach();
            interleaving.Add(sealer, () =>
            {
                SealedStores.Seal(sealer);
                SealedStores.Unseal(sealer, from: 30, upTo: 30);
                SealedStores.Seal(sealer);
            });
            interleaving.Run();
            SealedStores.AssertClean(disk);
            Promises.Check(disk, history);
            return 1;
        }
    }

    [Fact]
    public void Sealed_file_damaged_at_any_byte_is_named_and_never_believed()
    {
        var (start, _) = scenarios[1].On(VolumeKind.Ext4).Begin();
        var path = SealedStores.Layout.SealedFile(20);
        var (length, ids) = (SealedStores.Bytes(start.Attach(), path).Length, Ids(start));
        var cases = Enumerable.Range(0, length).SelectMany(static at => (IEnumerable<byte>)[1, 0x20, 0xff], static (at, mask) => (at, mask));
        Cases.TryEach([.. cases], Damage, output, share: 0.25);

        int Damage((int At, byte Mask) each)
        {
            var disk = start.Copy();
            using (var file = disk.Attach().Open(path, FileOpening.ReadWrite)!)
            {
                var octet = new byte[1];
                file.Read(octet, each.At);
                octet[0] ^= each.Mask;
                file.Write(octet, each.At);
            }
            Assert.Contains(Check(disk), finding => finding.Path == path);
            try
            {
                Assert.Equal(ids, Ids(disk));
            }
            catch (StoreDamagedException e)
            {
                Assert.Equal(path, e.Path);
            }
            return 1;
        }

        static IReadOnlyList<StoreFinding> Check(SimulatedDisk disk) => SealedStores.Check(disk).Findings;

        static List<Guid> Ids(SimulatedDisk disk)
        {
            using var store = Promises.Open(disk);
            return [.. Promises.Read(store, Query.All).Select(static e => e.Id)];
        }
    }

    // The closing line of the lines of the positions 20 to 39.
    private static string ClosingLine(ReadOnlySpan<byte> lines, int every, IEnumerable<int> starts)
    {
        var closing = $$$"""{"sealed":{"first":20,"last":39,"bytes":{{{lines.Length}}},"every":{{{every}}},"at":[{{{string.Join(',', starts)}}}]}""";
        var checksum = Crc32C.Of([.. lines, .. Encoding.UTF8.GetBytes(closing)]);
        return $$"""{{closing}},"checksum":"{{checksum:x8}}"}""";
    }

    private static IEnumerable<CaseGroup<T>> Groups<T>(Scenario[] scenarios, Func<ScenarioOnDisk, IEnumerable<T>> casesOf) =>
        from scenario in scenarios
        from kind in VolumeKinds.All
        select new CaseGroup<T>(() => [.. casesOf(scenario.On(kind))]);

    private sealed record CutCase(ScenarioOnDisk On, Cut Cut)
    {
        public override string ToString() => $"{On}, {Cut}";
    }

    private sealed record FaultCase(ScenarioOnDisk On, int Operation, bool Lasts, string What)
    {
        public override string ToString() => $"{On}, operation {Operation} ({What}) fails {(Lasts ? "from then on" : "once")}";
    }
}
