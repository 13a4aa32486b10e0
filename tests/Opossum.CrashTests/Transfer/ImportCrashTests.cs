using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.Tests.Transfer;

/// <summary>Imports that power cuts and failing operations interrupt at every file operation.</summary>
public sealed class ImportCrashTests(ITestOutputHelper output)
{
    internal static CrashScenario Crash { get; } = new("an import", static kind =>
    {
        var start = StartOn(kind, Lines());
        return () =>
        {
            var disk = start.Start.Copy();
            return CrashRun.Of(disk, () => Import(disk, start.Lines), Check);

            void Check(SimulatedDisk left, PowerCut cut, bool isDone)
            {
                if (isDone)
                    Assert.Equal(start.Expected, Ids(left.Copy()));
                CheckAndGoOn(left, start);
            }
        };
    });

    [Fact]
    public void Power_cut_leaves_whole_appends_from_the_first_line_and_the_next_import_adds_the_rest() =>
        Cases.TryEach(CrashCut.Groups([Crash], VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    [Fact]
    public void Failing_operation_is_reported_and_the_next_import_adds_the_rest()
    {
        Cases.TryEach(AllCases(), each =>
        {
            var disk = each.Start.Copy();
            var operations = 0;
            disk.Fail(new Fault { When = operation => operation.Changes && operations++ == each.Operation, DropsDirtyBytes = each.What.IsFlush });
            var error = Record.Exception(() => Import(disk, each.Lines));
            Assert.True(error is null or StoreOpenException or StoreIOException or StoreFaultedException or StoreLockTimeoutException, $"{error}");
            CheckAndGoOn(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), each);
            CheckAndGoOn(disk, each);
            return 2;
        }, output, share: 0.25);
    }

    [Fact]
    public void Failing_reading_is_reported_as_an_error_of_the_store()
    {
        var each = StartOn(VolumeKind.Ext4, Lines());
        for (var (at, isOver) = (0, false); !isOver; at++)
        {
            var (operations, disk) = (0, each.Start.Copy());
            disk.Fail(new Fault { When = operation => !operation.Changes && operations++ == at });

            var error = Record.Exception(() => Import(disk, each.Lines));

            Assert.True(error is null or EventStoreException, $"{error}");
            isOver = operations <= at;
        }
    }

    private static void CheckAndGoOn(SimulatedDisk disk, ImportCase each)
    {
        var before = Ids(disk);
        Assert.Equal(each.Expected[..before.Count], before);
        // The store's own two events, then appends of 1, 3, 1 and 2.
        Assert.Contains(before.Count, (int[])[2, 3, 6, 7, 9]);
        Assert.Equal(before.Count - 2, Import(disk, each.Lines).Known);
        Assert.Equal(each.Expected, Ids(disk));
        Assert.Equal(0, Import(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)), each.Lines).Imported);
        // Lines that the power cut tore are mended by a later append.
        Assert.DoesNotContain(StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk)).Findings, static finding =>
            finding.Kind != FindingKind.IndexMismatch);
    }

    private static IEnumerable<CaseGroup<ImportCase>> AllCases()
    {
        var lines = Lines();
        return VolumeKinds.All.Select(kind => new CaseGroup<ImportCase>(() => CasesOn(kind, lines)));
    }

    private static ImportCase StartOn(VolumeKind kind, byte[] lines)
    {
        var start = NewDisk(kind);
        Append(start, 2);
        start = start.Copy();
        var whole = start.Copy();
        Import(whole, lines);
        return new ImportCase(kind, start, lines, Ids(whole), 0, default);
    }

    private static List<ImportCase> CasesOn(VolumeKind kind, byte[] lines)
    {
        var start = StartOn(kind, lines);
        var whole = start.Start.Copy();
        whole.Trace = [];
        Import(whole, lines);
        return [.. whole.Trace.FindAll(static each => each.Changes).Select((what, at) => start with { Operation = at, What = what })];
    }

    private static byte[] Lines()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Append(disk, 1, 3, 1, 2);
        using var stream = new MemoryStream();
        StoreExport.Run(disk.Attach(), SteppedStore.LayoutOn(disk), stream, Query.All, ReadOptions.Default, disk.Clock);
        return stream.ToArray();
    }

    private static SimulatedDisk NewDisk(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        disk.Attach().CreateFolder("/shop");
        return disk;
    }

    private static void Append(SimulatedDisk disk, params int[] sizes)
    {
        var history = new History();
        var store = SteppedStore.Open(disk.Attach());
        foreach (var size in sizes)
            store.Append(history.New(size));
        store.Close();
    }

    private static ImportReport Import(SimulatedDisk disk, byte[] lines)
    {
        using var stream = new MemoryStream(lines);
        return StoreImport.Run(disk.Attach(), SteppedStore.LayoutOn(disk), stream, null, disk.Clock);
    }

    private static List<Guid> Ids(SimulatedDisk disk)
    {
        using var store = Promises.Open(disk);
        return [.. Promises.Read(store, Query.All).Select(e => e.Id)];
    }

    private sealed record ImportCase(VolumeKind Kind, SimulatedDisk Start, byte[] Lines, List<Guid> Expected, int Operation, SimulatedOperation What)
    {
        public override string ToString() => $"an import on {Kind}, operation {Operation} ({What})";
    }
}
