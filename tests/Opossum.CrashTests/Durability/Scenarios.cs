using Opossum.FileSystem;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What stores go through.</summary>
internal static class Scenarios
{
    public static Scenario LoneAppends { get; } = new("lone appends", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New());
        store.Append(history.NewUnique("a"));
        store.Append(history.NewUnique("a"));
        store.Append(history.New());
    })
    { Before = Append(2) };

    public static Scenario Groups { get; } = new("groups", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New(), history.NewUnique("a", 2), history.NewUnique("a"), history.NewUnique("b", 2));
        store.Append(history.New(), history.New());
    })
    { Before = Append(1) };

    public static Scenario GroupsBesideForeignDirtyBytes { get; } = Groups with
    {
        Name = "groups, while the system holds much that others wrote",
        Adjust = disk => disk.DirtyBytes = 1L << 40,
    };

    public static Scenario GroupsWhereOnlyTheWholeIsFlushed { get; } = Groups with
    {
        Name = "groups, where a file's flush does not cover its name but the whole can be flushed",
        Adjust = disk => disk.Volume = disk.Volume with { FileFlushCoversName = false, CanFlushWhole = true },
    };

    public static Scenario MultiEventAppend { get; } = new("an append of several events", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.NewUnique("a", 4));
        store.Append(history.New());
    })
    { Before = Append(1) };

    public static Scenario LargeAppend { get; } = new("an append of 200 events", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.NewUnique("a", 200));
        store.Append(history.NewUnique("a"), history.New());
    })
    { Before = Append(1), Every = 8, ShardPositions = StoreLayout.ShardPositionsDefault };

    public static Scenario GroupBeyondOpenFiles { get; } = new("a group of more files than are open at once", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New(250), history.New(50));
    })
    { Before = Append(1), Every = 8, ShardPositions = StoreLayout.ShardPositionsDefault };

    public static Scenario TwoProcesses { get; } = new("two processes in turns", (client, history) =>
    {
        var (one, other) = (SteppedStore.Open(client), SteppedStore.Open(client.Disk.Attach()));
        one.Append(history.New());
        other.Append(history.NewUnique("a", 2));
        one.Append(history.NewUnique("a"), history.New(2));
        other.Append(history.New(), history.NewUnique("b"));
        one.Append(history.New());
    })
    { Before = Append(1) };

    public static Scenario PeersThatCrash { get; } = new("a process whose peers end in the middle of their appends", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        FaultScenarios.KillAt(client.Disk, OperationKind.Write, "types-and-tags.idx", history.NewUnique("a", 2));
        store.Append(history.NewUnique("a"), history.New());
        FaultScenarios.KillAmidFiles(client.Disk, history.NewUnique("b", 2));
        store.Append(history.NewUnique("b"));
    })
    { Before = Append(1) };

    /// <summary>Its files are whole, and neither flushed nor indexed: the process that adopts them makes them durable.</summary>
    public static Scenario PeerThatCrashesBeforeItsFlush { get; } = new("a process whose peer ends before its flush", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        FaultScenarios.KillAt(client.Disk, OperationKind.Flush, ".json", history.New());
        store.Append(history.New());
    })
    { Before = Append(1) };

    /// <summary>
    /// A power cut has taken the bytes of an append that was not flushed, and left those of the one after it. What is set aside stays so,
    /// and is kept.
    /// </summary>
    public static Scenario SetAside { get; } = new("an append that takes the place of what is set aside", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.NewUnique("b"));
    })
    {
        Before = (disk, history) =>
        {
            Append(1)(disk, history);
            var store = SteppedStore.Open(disk.Attach(), flush: false);
            store.Append(history.New());
            store.Append(history.NewUnique("b", 2));
            store.Close();
            DeleteIndex(disk);
            using var lost = disk.Attach().Open(SteppedStore.LayoutOn(disk).EventFile(2), FileOpening.ReadWrite)!;
            lost.SetLength(0);
        },
        CheckFiles = disk =>
        {
            using var place = StorePlace.On(disk);
            var files = place.Snapshot("/shop").Where(static each => each.Value is { Length: > 0 }).Select(static each => each.Key).ToList();
            // Until its name is used again, what is being moved may have both names or none.
            if (!files.Contains(SteppedStore.LayoutOn(disk).EventFile(2)))
                return;
            foreach (var position in (int[])[3, 4])
                Assert.Contains(files, file => file.EndsWith(StoreLayout.EventFileName(position), StringComparison.Ordinal));
        },
    };

    public static Scenario Creation { get; } = new("creation of a store", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New(2));
        store.Close();
    });

    public static Scenario UnflushedCreation { get; } = new("creation of a store that does not flush", (client, history) =>
    {
        var store = SteppedStore.Open(client, flush: false);
        store.Append(history.New(2));
        store.FlushBehind();
        MarkDurable(history);
    });

    /// <summary>A process that finds a store half created finishes it, and flushes what its creator may not have flushed.</summary>
    public static Scenario CreationThatOthersFinish { get; } = new("creation of a store whose creators end before their flushes", (client, history) =>
    {
        FaultScenarios.KillAtOpening(client.Disk, operation => operation.Kind == OperationKind.FlushFolder && operation.Path == SteppedStore.Root);
        FaultScenarios.KillAt(client.Disk, OperationKind.FlushFolder, "/Events", history.New());
        SteppedStore.Open(client).Append(history.New());
    });

    /// <summary>The disk has no room for the second file when the first is durable.</summary>
    public static Scenario TakenBack { get; } = new("an append that is taken back", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        var created = 0;
        client.Disk.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.CreateNew
            && operation.Path.EndsWith(".json", StringComparison.Ordinal) && ++created > 256,
            Error = FileError.DiskFull,
            Lasts = true
        });
        store.Append([.. Enumerable.Range(0, 257).Select(_ => history.New())]);
    })
    {
        Before = Append(1),
        Adjust = disk => disk.DirtyBytes = 1L << 40,
        Every = 8,
        ShardPositions = StoreLayout.ShardPositionsDefault,
    };

    public static Scenario Rebuild { get; } = new("rebuild of the index", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New());
    })
    {
        Before = (disk, history) =>
        {
            Append(3)(disk, history);
            DeleteIndex(disk);
        },
    };

    public static Scenario LongRebuild { get; } = Rebuild with
    {
        Name = "rebuild of an index that is written in several parts, and of its runs",
        Play = (client, history) =>
        {
            var store = SteppedStore.Open(client, runs: new RunSettings { Length = 2, Fan = 2, LengthMax = 8 });
            store.Append(history.New());
        },
        Before = (disk, history) =>
        {
            Append(9)(disk, history);
            DeleteIndex(disk);
        },
    };

    /// <summary>A process makes runs of the index, and of runs longer ones, while it and another one append.</summary>
    public static Scenario Runs { get; } = new("runs of the index", (client, history) =>
    {
        var runs = new RunSettings { Length = 2, Fan = 2, LengthMax = 8 };
        var (store, other) = (SteppedStore.Open(client, runs: runs), SteppedStore.Open(client.Disk.Attach(), runs: runs));
        store.Append(history.New(2), history.NewUnique("a"));
        store.MakeRuns();
        other.Append(history.NewUnique("a", 2), history.New());
        other.MakeRuns();
        store.Append(history.NewUnique("b", 3));
        store.MakeRuns();
    })
    { Before = Append(4) };

    public static Scenario RunsOfOne { get; } = new("runs of the index, made by one process", (client, history) =>
    {
        var store = SteppedStore.Open(client, runs: new RunSettings { Length = 2, Fan = 2, LengthMax = 8 });
        store.Append(history.New(2), history.NewUnique("a"));
        store.MakeRuns();
        store.Append(history.NewUnique("a", 2), history.New());
        store.MakeRuns();
    })
    { Before = Append(4) };

    public static Scenario Journal { get; } = new("appends to the journal", (client, history) =>
    {
        var store = SteppedStore.Open(client, useJournal: true);
        store.Append(history.New());
        store.Append(history.NewUnique("a", 2), history.NewUnique("a"), history.New());
        store.TryDrainJournal();
        store.Append(history.New());
        store.Append(history.New(2));
        store.TryDrainJournal();
        store.Append(history.New());
        store.EmptyJournal();
    })
    { Before = Append(2) };

    /// <summary>One file of the journal is full, and the next groups go into the other one, while the first is drained.</summary>
    public static Scenario JournalInTurns { get; } = new("appends to both files of the journal", (client, history) =>
    {
        var store = SteppedStore.Open(client, useJournal: true);
        for (var round = 0; round < 3; round++)
        {
            store.Append(history.New(3));
            store.TryDrainJournal();
            store.Append(history.New(3));
            store.Append(history.New(2));
        }
        store.Append(history.New(2));
    })
    { Before = Append(1) };

    public static Scenario JournalOfTwo { get; } = new("two processes with a journal", (client, history) =>
    {
        var (one, other) = (SteppedStore.Open(client, useJournal: true), SteppedStore.Open(client.Disk.Attach(), useJournal: true));
        one.Append(history.New());
        other.Append(history.NewUnique("a", 2));
        one.Append(history.NewUnique("a"), history.New(2));
        other.TryDrainJournal();
        one.Append(history.New());
        one.TryDrainJournal();
        other.Append(history.NewUnique("b"));
        one.EmptyJournal();
    })
    { Before = Append(1) };

    public static Scenario JournalOfOne { get; } = new("two processes, one of which has a journal", (client, history) =>
    {
        var (one, other) = (SteppedStore.Open(client, useJournal: true), SteppedStore.Open(client.Disk.Attach()));
        one.Append(history.New());
        one.Append(history.New(2));
        other.Append(history.NewUnique("a", 2));
        one.Append(history.NewUnique("a"), history.New(2));
        one.TryDrainJournal();
        other.Append(history.New());
        one.Append(history.New());
        other.Append(history.New(), history.NewUnique("b"));
    })
    { Before = Append(1) };

    /// <summary>A process that ends with a backlog, before its frames, or while it writes event files: the next one writes what is left.</summary>
    public static Scenario JournalOfDead { get; } = new("a journal whose processes end", (client, history) =>
    {
        var store = SteppedStore.Open(client, useJournal: true);
        FaultScenarios.KillWithJournalAt(client.Disk, OperationKind.Flush, ".jsonl", history.New());
        store.Append(history.New());
        FaultScenarios.KillWithJournalAt(client.Disk, OperationKind.Write, "types-and-tags.idx", history.NewUnique("a", 2));
        store.Append(history.NewUnique("a"), history.New(2));
        FaultScenarios.KillWithJournalAt(client.Disk, OperationKind.Write, ".json", history.New(2));
        store.Append(history.New());
        store.EmptyJournal();
    })
    { Before = Append(1) };

    public static Scenario ShardChange { get; } = new("a change of folders", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        store.Append(history.New(), history.New(2));
        store.Append(history.New());
    })
    {
        ShardPositions = 10,
        Before = (disk, history) =>
        {
            var store = SteppedStore.Open(disk.Attach());
            store.Append(history.New(7));
            store.Close();
        },
    };

    public static Scenario LoneShardChange { get; } = ShardChange with
    {
        Name = "a change of folders by a lone append",
        Play = (client, history) =>
        {
            var store = SteppedStore.Open(client);
            store.Append(history.New(2));
            store.Append(history.New());
        },
    };

    public static Scenario Unflushed { get; } = new("appends without flushing", (client, history) =>
    {
        var store = SteppedStore.Open(client, flush: false);
        store.Append(history.New(2));
        store.Append(history.NewUnique("a"));
        store.Append(history.New(), history.NewUnique("a"), history.New(2));
        store.FlushBehind();
        MarkDurable(history);
        store.Append(history.New());
    })
    { Before = Append(1) };

    public static Scenario FlushedBehindUnflushed { get; } = new("flushed appends behind others that are not", (client, history) =>
    {
        var (fast, safe) = (SteppedStore.Open(client, flush: false), SteppedStore.Open(client.Disk.Attach()));
        fast.Append(history.New(2));
        fast.Append(history.New());
        Flushed(safe, history, history.New());
        fast.Append(history.New());
        fast.Append(history.New(2));
        Flushed(safe, history, history.New(), history.New(2));
    })
    { Before = Append(1) };

    public static void MarkDurable(History history)
    {
        foreach (var each in history.Attempts)
            each.IsDurable |= each.Answer == Answer.Stored;
    }

    /// <summary>So many appends of one, two, one, two... events.</summary>
    public static Action<SimulatedDisk, History> Append(int appends) => (disk, history) =>
    {
        var store = SteppedStore.Open(disk.Attach());
        for (var at = 0; at < appends; at++)
            store.Append(history.New(1 + at % 2));
        store.Close();
    };

    private static void Flushed(SteppedStore safe, History history, params Attempt[] group)
    {
        safe.Append(group);
        // Where an append that flushed stands, all before it stands.
        MarkDurable(history);
    }

    private static void DeleteIndex(SimulatedDisk disk)
    {
        var client = disk.Attach();
        var layout = SteppedStore.LayoutOn(disk);
        client.Delete(layout.IndexFile);
        client.Delete(layout.Segment(0));
    }
}
