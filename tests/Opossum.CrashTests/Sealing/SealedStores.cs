using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;

namespace Opossum.SealingTests;

/// <summary>Stores of several small folders, and what must hold of them whenever folders are sealed.</summary>
internal static class SealedStores
{
    /// <summary>The number of positions of a folder.</summary>
    public const int Positions = 20;

    public static StoreLayout Layout { get; } = new(SteppedStore.Root, Positions);

    /// <summary>What is interrupted; the last one beside appends.</summary>
    public static readonly Scenario[] Scenarios =
    [
        Unsealed("sealing", static (client, _) => Seal(client)),
        Sealed("unsealing", static (client, _) => Unseal(client)),
        Sealed("unsealing one folder and sealing again", static (client, _) =>
        {
            Unseal(client, from: Positions, upTo: Positions);
            Seal(client);
        }),
        Unsealed("sealing beside appends", static (client, history) =>
        {
            var store = SteppedStore.Open(client.Disk.Attach());
            Seal(client, keepNewest: 2);
            store.Append(history.New(Positions + 3));
            Seal(client);
            store.Append(history.New(2), history.New());
            Assert.Equal(store.Head, store.ReadAll().Count);
        }),
    ];

    /// <summary>A store whose first folders are full.</summary>
    public static Scenario Unsealed(string name, Action<SimulatedFileSystem, History> play) => new(name, play)
    {
        Adjust = Adjust,
        Before = Fill,
    };

    /// <summary>The same, with all folders sealed that can be.</summary>
    public static Scenario Sealed(string name, Action<SimulatedFileSystem, History> play) => new(name, play)
    {
        Adjust = Adjust,
        Before = static (disk, history) =>
        {
            Fill(disk, history);
            Seal(disk.Attach());
        },
    };

    /// <summary>A scenario, and what must hold after a power cut.</summary>
    public static CrashScenario Crash(Scenario scenario) => new(scenario.Name, kind =>
    {
        var on = scenario.On(kind);
        var before = EventFilesBefore(on);
        return () =>
        {
            var (disk, history) = on.Begin();
            return new CrashRun(disk, () => scenario.Play(disk.Attach(), history),
                cut => CheckInterrupted(disk.AfterPowerCut(cut), history, before));
        };
    });

    /// <summary>The event files that a scenario begins with, as they are where nothing is sealed.</summary>
    public static SortedDictionary<long, string> EventFilesBefore(ScenarioOnDisk on)
    {
        var (disk, _) = on.Begin();
        Unseal(disk.Attach());
        return EventFiles(disk);
    }

    public static SealingReport Seal(SimulatedFileSystem client, int keepNewest = 1) =>
        StoreSealing.Seal(client, SteppedStore.LayoutOn(client.Disk), keepNewest, client.Disk.Clock);

    public static SealingReport Unseal(SimulatedFileSystem client, long from = 1, long? upTo = null) =>
        StoreSealing.Unseal(client, SteppedStore.LayoutOn(client.Disk), from - 1, upTo,
            client.Disk.Clock);

    public static StoreCheckReport Check(SimulatedDisk disk) => StoreCheck.Run(disk.Attach(), SteppedStore.LayoutOn(disk));

    /// <summary>The bytes of the event files that lie there, by position.</summary>
    public static SortedDictionary<long, string> EventFiles(SimulatedDisk disk)
    {
        var client = disk.Attach();
        var files = new SortedDictionary<long, string>();
        foreach (var folder in client.List(Layout.Events).Where(static name => Layout.TryParseShard(name, out _)))
        {
            foreach (var name in client.List(FilePath.Join(Layout.Events, folder)))
            {
                if (StoreLayout.TryParseEventFileName(name, out var position))
                    files.Add(position, Convert.ToBase64String(Bytes(client, Layout.EventFile(position))));
            }
        }
        return files;
    }

    public static List<string> SealedFiles(SimulatedDisk disk) =>
        [.. disk.Attach().List(Layout.Events).Where(static name => Layout.TryParseSealedFileName(name, out _)).Order(StringComparer.Ordinal)];

    public static byte[] Bytes(SimulatedFileSystem client, string path)
    {
        using var file = client.Open(path, FileOpening.Read)!;
        var bytes = new byte[file.GetLength()];
        file.Read(bytes, 0);
        return bytes;
    }

    /// <summary>
    /// Checks a store in which sealing or unsealing was interrupted: all events are there, it can be finished, and unsealing gives the event files
    /// byte for byte.
    /// </summary>
    /// <param name="disk">The disk; it is written to.</param>
    /// <param name="history">What was appended.</param>
    /// <param name="before">The event files as they were.</param>
    public static void CheckInterrupted(SimulatedDisk disk, History history, SortedDictionary<long, string> before)
    {
        var ids = Promises.Check(disk, history, deep: false);
        Assert.All(Check(disk).Findings, static finding => Assert.True(finding.Kind == FindingKind.UnfinishedSealing, $"{finding}"));
        Seal(disk.Attach());
        AssertClean(disk);
        Promises.CheckStill(disk, ids, deep: false);
        Unseal(disk.Attach());
        AssertClean(disk);
        Assert.Empty(SealedFiles(disk));
        var after = EventFiles(disk);
        foreach (var (position, bytes) in before)
            Assert.Equal(bytes, after[position]);
    }

    public static void AssertClean(SimulatedDisk disk)
    {
        var report = Check(disk);
        Assert.True(report.IsClean, report.ToString());
    }

    private static void Adjust(SimulatedDisk disk) => disk.ShardPositions = Positions;

    // Appends of one to seven events: some reach from one folder into the next.
    private static void Fill(SimulatedDisk disk, History history)
    {
        var store = SteppedStore.Open(disk.Attach());
        for (var count = 1; store.Head < 3 * SealedStores.Positions + 3; count++)
            store.Append(history.New(count % 7 + 1), history.New());
        store.Close();
    }
}
