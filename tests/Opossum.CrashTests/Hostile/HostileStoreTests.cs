using System.Text.Json.Nodes;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;
using Opossum.Tests.Projections;
using Opossum.Tests.Reactions;
using Opossum.Tests.Repair;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Any file of a store holds any bytes, also such that all checksums fit: it is mended, named by an error of the store, or
/// not believed, and takes no more memory than its bytes account for.
/// </summary>
public sealed class HostileStoreTests(ITestOutputHelper output)
{
    private const int FolderPositions = 8;

    // A store without damage takes a twentieth of it, and each damaged event of a sealed file some 2 MiB in a check.
    private const long AllocatedMax = 64 * 1024 * 1024;

    private static readonly string[] parts =
        ["Events/", "Index/", "Log/", "Projections/", "Reactions/", "Keys/", "Proof/", "Quarantine/", "personal.json", "redaction.json", "store.json",
            ".store.lock"];

    private static readonly ProofKey proofKey = ProofKey.Create("shop.example");

    private static readonly FilesBehindSettings journal = new() { FilledAhead = 2_048 };
    private static readonly RunSettings runs = new() { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };

    [Fact]
    public void Whatever_a_file_of_a_store_holds()
    {
        var groups = from kind in (VolumeKind[])[VolumeKind.Ext4, VolumeKind.Nfs]
                     let files = new Lazy<SortedDictionary<string, byte[]?>>(() => Fill(kind))
                     from part in parts
                     where kind == VolumeKind.Ext4 || part == "Events/"
                     select new CaseGroup<Case>(() => [.. CasesOf(kind, files.Value, part)]);
        Cases.TryEach(groups, Try, output);
    }

    private static IEnumerable<Case> CasesOf(VolumeKind kind, SortedDictionary<string, byte[]?> files, string part) =>
        from file in files
        where file.Value is { Length: > 0 } && file.Key.StartsWith($"/store/{part}", StringComparison.Ordinal)
        from seed in Enumerable.Range(1, 200)
        from isForged in (bool[])[false, true]
        select new Case(kind, files, file.Key, Seed.Value + seed, isForged);

    private static int Try(Case each)
    {
        using var place = At(each.Kind);
        place.Restore(each.Files);
        var mutator = new Mutator(each.Seed);
        var others = each.Files.Values.OfType<byte[]>().Where(static some => some.Length > 0).ToList();
        var bytes = mutator.Change(each.Files[each.Path]!, mutator.Pick(others));
        place.Put(each.Path, each.IsForged ? ForgedFile.Of(place.Layout, each.Path, bytes) : bytes);
        var allocated = Allocations.Of(() =>
        {
            var isDamaged = IsRefused(place, () => UseReadOnly(place)) | IsRefused(place, () => Use(place));
            _ = IsRefused(place, () => Seal(place));
            _ = IsRefused(place, () => WriteProof(place));
            if (each.Path == place.Layout.RedactionFile)
                _ = IsRefused(place, () => place.Repair(Remedies.FinishRedaction(place.Clock)));
            // What a store refuses, the check names; what lies in some folders is not its matter.
            StoreCheckReport? report = null;
            if (!IsRefused(place, () => report = place.Check()) && isDamaged && !IsOfOthers(each.Path))
                Assert.False(report!.IsClean);
        });
        Assert.True(allocated <= AllocatedMax + 40L * bytes.Length, $"{allocated:N0} bytes were allocated.");
        return 1;
    }

    private static bool IsOfOthers(string path) =>
        Array.Exists(["Projections/", "Reactions/", "Keys/", "Index/"], part => path.StartsWith($"/store/{part}", StringComparison.Ordinal));

    // Whether it ended with an error of the store. Any other is a fault.
    private static bool IsRefused(StorePlace place, Action use)
    {
        try
        {
            use();
            return false;
        }
        catch (EventStoreException e)
        {
            // An event that was read lazily knows its position, not its file.
            Assert.True(e.Message.Contains(place.Root, StringComparison.Ordinal) || e.Message.StartsWith("The event at position ", StringComparison.Ordinal),
                e.Message);
            return true;
        }
        finally
        {
            place.CloseStores();
        }
    }

    private static void UseReadOnly(StorePlace place)
    {
        var store = place.OpenCustomers(Customers.Key, static options => options.ReadOnly = true);
        ReadEvents(store);
        place.CloseStores();
        var again = place.OpenCustomers(Customers.Key, static options => options.ReadOnly = true);
        _ = IsRefused(place, () => ReadWhatFollows(again));
    }

    private static void Use(StorePlace place)
    {
        var store = place.OpenCustomers(Customers.Key, options => options.UseJournal = !place.Disk!.Volume.IsNetwork);
        ReadEvents(store);
        Append(store, New("a", "k:1"));
        store.MakeRuns();
        store.BringFilesUp();
        ReadEvents(store);
    }

    private static void Append(FileSystemEventStore store, params NewEvent[] events) =>
        store.AppendAsync(events).GetAwaiter().GetResult();

    private static void ReadEvents(FileSystemEventStore store)
    {
        Query[] queries =
            [Query.All, Tagged("k:1"), Tagged("k:1", "k:2"), Query.FromEventTypes("a", "b"), Query.FromItems(Item(["a"], "k:1"))];
        foreach (var query in queries)
        {
            foreach (var backwards in (bool[])[false, true])
            {
                var options = new ReadOptions { Backwards = backwards };
                foreach (var e in store.ReadAllAsync(query, options).GetAwaiter().GetResult())
                    _ = (e.Tags.Count, e.Metadata.Count, e.Timestamp, e.Json.Length, e.StoredJson.Length, e.Id);
            }
        }
        _ = store.GetStatusAsync(withSizes: true).GetAwaiter().GetResult();
    }

    private static void ReadWhatFollows(FileSystemEventStore store)
    {
        foreach (var name in store.Projections.ListAsync().GetAwaiter().GetResult())
        {
            _ = store.Projections[name].GetStatusAsync().GetAwaiter().GetResult();
            _ = store.Projections.Get<JsonNode>(name).ReadAllAsync().ToListAsync().AsTask().GetAwaiter().GetResult();
        }
        foreach (var name in store.Reactions.ListAsync().GetAwaiter().GetResult())
        {
            _ = store.Reactions[name].GetStatusAsync().GetAwaiter().GetResult();
            _ = store.Reactions[name].ReadParkedAsync().GetAwaiter().GetResult();
        }
    }

    // Events in sealed folders, in event files, and in the journal or the file of a group; with runs, states, a reaction, keys,
    // a proof, an event file that was set aside, and the plan of a redaction that was interrupted.
    private static SortedDictionary<string, byte[]?> Fill(VolumeKind kind)
    {
        using var place = At(kind, TimeProvider.System);
        var store = place.OpenCustomers(Customers.Key);
        var reaction = new RecordingReaction(ReactionStart.Beginning);
        using (var runner = new Running(store, reaction))
        {
            Append(store, new NewEvent(Customers.Registered()), RecordingReaction.Placed("o1"), Counts.Counted("a", "b"));
            for (var count = 0; count < 12; count++)
            {
                var second = NewEvent.FromJson("b", """{"a":[1,{"b":"ü"}]}""", new Tag("k", "2"));
                var metadata = new Dictionary<string, string> { ["correlation"] = $"c{count}" };
                Append(store, New("a", "k:1", $"k:{count}"), second with { Metadata = metadata });
            }
            runner.Wait();
        }
        store.MakeRuns();
        place.CloseStores();
        if (kind == VolumeKind.Ext4)
            Seal(place);
        WriteProof(place);
        var newest = place.Snapshot(place.Layout.Events).Last(static each => each.Value is not null);
        place.Put($"{place.Layout.Quarantine}/20261121T124944.285Z/{newest.Key[^15..]}", newest.Value);
        var plan = PlanOfRedaction(place.Disk!);
        var last = place.OpenCustomers(Customers.Key, options =>
            (options.UseJournal, options.TimeProvider) = (!place.Disk!.Volume.IsNetwork, new TestClock()));
        Append(last, New("a", "k:1"), New("b"));
        place.Put(place.Layout.RedactionFile, plan);
        // As the process would leave it if it ended now.
        return place.Snapshot();
    }

    private static void WriteProof(StorePlace place)
    {
        using var fileSystem = place.Attach();
        _ = StoreProof.WriteCheckpoint(fileSystem, place.Layout, proofKey, [], place.Clock, CancellationToken.None);
    }

    private static byte[] PlanOfRedaction(SimulatedDisk disk)
    {
        for (var operations = 1; ; operations++)
        {
            var cut = disk.Copy();
            cut.CutAfter(operations);
            using var place = StorePlace.On(cut);
            Attempt.UntilTheEnd(() => place.Repair(Remedies.Redact(place.Clock, [4, 5, 6], "a")));
            using var left = StorePlace.On(cut.AfterPowerCut(new PowerCut(PowerCutMode.KeepsAll)));
            if (left.Exists(left.Layout.RedactionFile))
                return left.Bytes(left.Layout.RedactionFile);
        }
    }

    private static void Seal(StorePlace place)
    {
        using var fileSystem = place.Attach();
        StoreSealing.Seal(fileSystem, place.Layout, 1, place.Clock);
    }

    private static StorePlace At(VolumeKind kind, TimeProvider? clock = null)
    {
        var disk = new SimulatedDisk(kind, clock ?? new SimulatedClock()) { ShardPositions = FolderPositions };
        var place = StorePlace.On(disk);
        (place.FilesBehind, place.Runs) = (journal, runs);
        return place;
    }

    private sealed class Running(FileSystemEventStore store, RecordingReaction reaction) : IDisposable
    {
        private readonly IAsyncDisposable projections = store.StartProjections([new Counts()]);
        private readonly IAsyncDisposable reactions = store.StartReactions([reaction]);

        public void Wait()
        {
            var head = store.GetHeadAsync().GetAwaiter().GetResult();
            store.Projections["counts"].WaitForAsync(head, TestContext.Current.CancellationToken).GetAwaiter().GetResult();
            reaction.WaitForAsync(1).GetAwaiter().GetResult();
        }

        public void Dispose()
        {
            projections.DisposeAsync().AsTask().GetAwaiter().GetResult();
            reactions.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private sealed record Case(VolumeKind Kind, SortedDictionary<string, byte[]?> Files, string Path, int Seed,
        bool IsForged)
    {
        public override string ToString() => $"{Path} on {Kind}, seed {Seed}{(IsForged ? ", forged" : "")}";
    }
}
