using Opossum.FileSystem;
using Opossum.FileSystem.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What stores go through while operations fail.</summary>
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
    })
    { Before = Scenarios.Append(2) };

    /// <summary>An open that finds a whole commit to take in and a broken one to set aside.</summary>
    public static Scenario Opening { get; } = new("an open with recovery", (client, history) =>
    {
        var store = SteppedStore.Open(client);
        Append(store, history.New());
    })
    {
        Before = (disk, history) =>
        {
            Scenarios.Append(2)(disk, history);
            KillAt(disk, OperationKind.Write, "types-and-tags.idx", history.New(2));
            KillAt(disk, OperationKind.Write, ".json", history.New(2));
        },
    };

    /// <summary>Opens a store and ends its process before the last operation on such a file that the append would need.</summary>
    public static void KillAt(SimulatedDisk disk, OperationKind kind, string pathEnd, params Attempt[] group)
    {
        var client = disk.Attach();
        var store = SteppedStore.Open(client);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == kind && operation.Path.EndsWith(pathEnd, StringComparison.Ordinal))
                client.Kill();
        };
        Assert.Throws<ProcessKilledException>(() => store.Append(group));
    }

    // A store that is faulted says so, and changes nothing more. Reads go on with what there is.
    private static void Append(SteppedStore store, params Attempt[] group)
    {
        var wasFaulted = store.IsFaulted;
        store.Append(group);
        foreach (var each in group)
        {
            if (wasFaulted)
                Assert.Equal(AppendOutcome.NothingWritten, Assert.IsType<StoreFaultedException>(each.Error).Outcome);
            else
                Assert.True(each.Error is null or StoreFaultedException or StoreWriteException or AppendConditionFailedException or StoreLockTimeoutException, $"{each.Error}");
            store.IsFaulted |= each.Error is StoreFaultedException;
        }
        try
        {
            store.ReadAll();
        }
        catch (FileSystemException)
        {
            // A read may fail as the disk does, but never shows what is not there.
        }
    }
}
