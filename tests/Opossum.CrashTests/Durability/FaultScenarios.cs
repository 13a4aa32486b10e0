using Opossum.FileSystem;
using Opossum.Storage.Failures;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What stores go through while operations fail, and that they go on when none fails any more.</summary>
internal static class FaultScenarios
{
    /// <summary>Appends of all kinds; reads go on between them.</summary>
    public static Scenario Appends { get; } = new("appends and reads", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        Append(store, history.New());
        Append(store, history.New(3));
        Append(store, history.New(), history.NewUnique("a", 2), history.NewUnique("a"));
        Append(store, history.New());
        GoOn(store, history);
    })
    { Before = Scenarios.Append(2) };

    /// <summary>Appends without flushing, and the flush behind them.</summary>
    public static Scenario Unflushed { get; } = new("appends without flushing", (client, history) =>
    {
        var store = SteppedStore.Open(client, flush: false);
        Append(store, history.New(2));
        Append(store, history.New(), history.NewUnique("a", 2));
        FlushBehind(store, history);
        Append(store, history.New());
        GoOn(store, history);
    })
    { Before = Scenarios.Append(2) };

    /// <summary>Appends to the journal, and the event files behind them.</summary>
    public static Scenario Journal { get; } = new("appends to the journal", (client, history) =>
    {
        var store = SteppedStore.Open(client, useJournal: true);
        Append(store, history.New(2));
        Append(store, history.New(), history.NewUnique("a", 2), history.NewUnique("a"));
        DrainJournal(store);
        Append(store, history.New(3));
        Append(store, history.New(2));
        DrainJournal(store);
        Append(store, history.New());
        GoOn(store, history);
    })
    { Before = Scenarios.Append(2) };

    /// <summary>The creation of a store.</summary>
    public static Scenario Creation { get; } = new("the creation of a store", (client, history) => GoOn(SteppedStore.Open(client), history));

    /// <summary>A rebuild of the index.</summary>
    public static Scenario Rebuild { get; } = Scenarios.Rebuild with { Play = (client, history) => GoOn(SteppedStore.Open(client), history) };

    /// <summary>A store whose peers end in the middle of their appends, so that it recovers while it runs.</summary>
    public static Scenario PeersThatCrash { get; } = new("a process whose peers have ended in the middle of their appends", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        KillAt(client.Disk, OperationKind.Write, "types-and-tags.idx", history.NewUnique("a", 2));
        Append(store, history.NewUnique("a"), history.New());
        KillAmidFiles(client.Disk, history.NewUnique("b", 2));
        Append(store, history.NewUnique("b"));
        GoOn(store, history);
    })
    { Before = Scenarios.Append(2) };

    /// <summary>An open that finds a whole commit to take in and a broken one to set aside.</summary>
    public static Scenario Opening { get; } = new("an open with recovery", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        Append(store, history.New());
        GoOn(store, history);
    })
    {
        Before = (disk, history) =>
        {
            Scenarios.Append(2)(disk, history);
            KillAt(disk, OperationKind.Write, "types-and-tags.idx", history.New(2));
            KillAmidFiles(disk, history.New(2));
        },
    };

    public static IReadOnlyList<Scenario> All { get; } = [Appends, Opening, Unflushed, Journal, Creation, Rebuild, PeersThatCrash];

    /// <summary>Those that are refused on network file systems.</summary>
    public static IReadOnlyList<Scenario> Local { get; } = [Unflushed, Journal];

    /// <summary>Opens a store and ends its process before the first such operation on such a file that the append would need.</summary>
    public static void KillAt(SimulatedDisk disk, OperationKind kind, string pathEnd, params Attempt[] group) =>
        KillAt(disk, operation => operation.Kind == kind && operation.Path.EndsWith(pathEnd, StringComparison.Ordinal), group);

    /// <summary>The same for a store with a journal, which also writes event files from it.</summary>
    public static void KillWithJournalAt(SimulatedDisk disk, OperationKind kind, string pathEnd, params Attempt[] group) =>
        KillAt(disk, operation => operation.Kind == kind && operation.Path.EndsWith(pathEnd, StringComparison.Ordinal), group, useJournal: true);

    /// <summary>Opens a store and ends its process when the append's first event file is written, and the second created.</summary>
    public static void KillAmidFiles(SimulatedDisk disk, params Attempt[] group)
    {
        var written = 0;
        KillAt(disk, operation => operation.Kind == OperationKind.Write && operation.Path.EndsWith(".json", StringComparison.Ordinal)
            && ++written == 2, group);
    }

    /// <summary>Ends a process that opens a store, before such an operation.</summary>
    public static void KillAtOpening(SimulatedDisk disk, Predicate<SimulatedOperation> isThePlace)
    {
        var client = disk.Attach();
        client.BeforeOperation = operation =>
        {
            if (isThePlace(operation))
                client.Kill();
        };
        Assert.Throws<ProcessKilledException>(() => SteppedStore.Open(client));
    }

    public static void KillAt(SimulatedDisk disk, Predicate<SimulatedOperation> isThePlace, Attempt[] group, bool useJournal = false)
    {
        var client = disk.Attach();
        var store = SteppedStore.Open(client, useJournal: useJournal);
        client.BeforeOperation = operation =>
        {
            if (isThePlace(operation))
                client.Kill();
        };
        Assert.Throws<ProcessKilledException>(() =>
        {
            store.Append(group);
            store.TryDrainJournal();
        });
    }

    // A store that is faulted says so, and changes nothing more. Reads go on with what there is.
    private static void Append(SteppedStore store, params Attempt[] group)
    {
        var wasFaulted = store.IsFaulted;
        store.Append(group);
        foreach (var each in group)
        {
            if (wasFaulted)
            {
                Assert.Equal(AppendOutcome.NothingWritten, Assert.IsType<StoreFaultedException>(each.Error).Outcome);
            }
            else
            {
                Assert.True(
                    each.Error is null or StoreFaultedException or StoreIOException or AppendConditionFailedException or StoreLockTimeoutException,
                    $"{each.Error}");
            }

            store.IsFaulted |= each.Error is StoreFaultedException;
        }
        try
        {
            store.ReadAll();
        }
        catch (StoreIOException)
        {
            // A read may fail as the disk does, but never shows what is not there.
        }
    }

    private static void FlushBehind(SteppedStore store, History history)
    {
        try
        {
            store.FlushBehind();
            Scenarios.MarkDurable(history);
        }
        catch (Exception e) when (e is StoreFaultedException or FileSystemException or StoreLockTimeoutException)
        {
            store.IsFaulted |= e is StoreFaultedException;
        }
    }

    private static void DrainJournal(SteppedStore store)
    {
        try
        {
            store.TryDrainJournal();
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or DiskStateUnknownException)
        {
            store.IsFaulted |= e is StoreFaultedException;
        }
    }

    // Nothing fails from here on: a store that is not faulted appends, and either one is read.
    private static void GoOn(SteppedStore store, History history)
    {
        store.Client.Disk.Mend();
        var next = history.New(2);
        Append(store, next);
        Assert.Equal(store.IsFaulted ? Answer.NothingWritten : Answer.Stored, next.Answer);
        Assert.Equal(store.Head, store.ReadAll().Count);
    }
}
