using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Storage;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Properties;

/// <summary>
/// Whatever is done through several stores on one disk, with reopenings, lost index files, damaged lines, and folders that are sealed and unsealed
/// in between, it equals what is done to a list.
/// </summary>
public sealed class StoreEqualsListTests
{
    private const int Stores = 3;

    private static readonly int[] shardSizes = [2, 4, 7, StoreLayout.ShardPositionsDefault];

    [Theory]
    [InlineData(nameof(VolumeKind.Ext4), 120)]
    [InlineData(nameof(VolumeKind.Posix), 40)]
    [InlineData(nameof(VolumeKind.Smb), 60)]
    [InlineData(nameof(VolumeKind.Nfs), 60)]
    [InlineData(nameof(VolumeKind.Fuse), 60)]
    public void A_store_equals_a_list(string kind, int tests)
    {
        CheckFolders(tests, Enum.Parse<VolumeKind>(kind), useJournal: false);
    }

    /// <summary>Two of the three stores have a journal.</summary>
    [Theory]
    [InlineData(nameof(VolumeKind.Ext4), 80)]
    [InlineData(nameof(VolumeKind.Posix), 40)]
    public void A_store_with_a_journal_equals_a_list(string kind, int tests)
    {
        CheckFolders(tests, Enum.Parse<VolumeKind>(kind), useJournal: true);
    }

    // As many tests with folders of each size.
    private static void CheckFolders(int tests, VolumeKind kind, bool useJournal)
    {
        foreach (var shardPositions in shardSizes)
        {
            Generators.Check(tests / shardSizes.Length, Arb.Array(Arb.From(anyStep)), steps =>
            {
                using var run = new Run(kind, shardPositions, useJournal);
                foreach (var step in steps)
                    run.Do(step);
                run.End();
            });
        }
    }

    // Only what prints well: the events themselves come from a seed of the step's own.
    private static readonly Gen<Step> anyStep =
        from kind in Gen.Frequency((8, Gen.Constant(StepKind.Append)), (2, Gen.Constant(StepKind.Retry)), (6, Gen.Constant(StepKind.Read)),
            (1, Gen.Constant(StepKind.Reopen)), (1, Gen.Constant(StepKind.DeleteIndex)), (1, Gen.Constant(StepKind.DamageLine)),
            (2, Gen.Constant(StepKind.Seal)), (1, Gen.Constant(StepKind.Unseal)),
            (3, Gen.Constant(StepKind.MakeRuns)), (2, Gen.Constant(StepKind.DrainJournal)), (1, Gen.Constant(StepKind.DamageRun)),
            (2, Gen.Constant(StepKind.ChangeRule)))
        from store in Gen.Choose(0, Stores - 1)
        from seed in Gen.Choose(0, int.MaxValue)
        select new Step(kind, store, seed);

    private enum StepKind
    {
        Append,
        Retry,
        Read,
        Reopen,
        DeleteIndex,
        DamageLine,
        Seal,
        Unseal,
        MakeRuns,
        DrainJournal,
        DamageRun,
        ChangeRule,
    }

    private sealed record Step(StepKind Kind, int Store, int Seed)
    {
        public T Pick<T>(Gen<T> generator, ulong salt = 0) => generator.Sample(1, new Rnd((ulong)Seed, (2 * salt) + 1), 50).First();
    }

    private sealed class Run : IDisposable
    {
        private readonly StorePlace place;
        private readonly FileSystemEventStore[] stores = new FileSystemEventStore[Stores];
        private readonly ListModel model = new();
        private readonly List<(NewEvent[] Events, AppendCondition? Condition)> appends = [];

        private readonly bool useJournal;
        private bool wasUnsealed;

        public Run(VolumeKind kind, int shardPositions, bool useJournal)
        {
            this.useJournal = useJournal;
            place = StorePlace.On(kind, shardPositions: shardPositions);
            // So that a few events make runs, and runs become one.
            place.Runs = new RunSettings { Length = 4, Fan = 2, LengthMax = 32, InBackground = false };
            // So that a few groups fill a file, and make it longer, and some wait until events have files.
            place.FilesBehind = new FilesBehindSettings { FilledAhead = 1_000, EventsMax = 20, GroupBytesMax = 2_000 };
            for (var at = 0; at < Stores; at++)
                stores[at] = Open(at);
        }

        // Without timers: a drain on another thread could hold the lock while this one waits for the clock's minute, which takes no time.
        private FileSystemEventStore Open(int store) => place.Open(options =>
        {
            options.UseJournal = useJournal && store != Stores - 1;
            options.TimeProvider = new TimerlessClock(place.Clock);
        });

        public void Do(Step step)
        {
            var store = stores[step.Store];
            switch (step.Kind)
            {
                case StepKind.Append:
                    var condition = step.Pick(Gen.Elements(true, false))
                        ? null
                        : new AppendCondition(step.Pick(Generators.Query), step.Pick(Generators.OrNull(Gen.Choose(0, (int)model.Head + 2))));
                    Append(store, step.Pick(Generators.Append), condition);
                    break;
                case StepKind.Retry when appends.Count > 0:
                    var (events, before) = appends[step.Seed % appends.Count];
                    Append(store, events, step.Pick(Gen.Elements(true, false)) ? before : new AppendCondition(step.Pick(Generators.Query)));
                    break;
                case StepKind.Read:
                    Read(store, step.Pick(Generators.Query), step.Pick(Generators.Read, salt: 1));
                    break;
                case StepKind.Reopen:
                    store.Dispose();
                    stores[step.Store] = Open(step.Store);
                    // That may have built the index anew.
                    LetStoresNotice();
                    break;
                case StepKind.DeleteIndex when place.Disk!.Volume.CachesIgnoreLocks:
                    // There a process that has a deleted file open keeps using it until it closes the file.
                    Array.ForEach(stores, static each => each.Dispose());
                    DeleteIndex(step.Seed);
                    for (var at = 0; at < Stores; at++)
                        stores[at] = Open(at);
                    break;
                case StepKind.DeleteIndex:
                    // A reader that has not looked since an earlier rebuild has nothing to read these files from; only an append builds them.
                    Array.ForEach(stores, each => each.GetHeadAsync().GetAwaiter().GetResult());
                    BringFilesUp(store);
                    DeleteIndex(step.Seed);
                    LetStoresNotice();
                    break;
                case StepKind.Seal:
                    Seal(keepNewest: 1 + step.Seed % 2);
                    break;
                case StepKind.Unseal:
                    var first = 1 + step.Seed % (model.Head + 1);
                    var last = first + step.Seed % 10;
                    place.Unseal(first, last);
                    wasUnsealed = true;
                    Assert.DoesNotContain(Enumerable.Range((int)first, (int)(last - first) + 1), position => IsSealed(position));
                    LetStoresNotice();
                    break;
                case StepKind.MakeRuns:
                    store.MakeRuns();
                    break;
                case StepKind.DrainJournal:
                    store.BringFilesUp();
                    break;
                case StepKind.DamageRun when Runs() is { Count: > 0 } runs:
                    var path = runs[step.Seed % runs.Count];
                    var bytes = place.Bytes(path);
                    var damaged = step.Seed % bytes.Length;
                    place.Patch(path, damaged, [(byte)(bytes[damaged] ^ (1 + step.Seed % 255))]);
                    break;
                // There other machines may not see that the index was replaced.
                case StepKind.ChangeRule when !place.Disk!.Volume.CachesIgnoreLocks:
                    ChangeRule(store, step.Pick(Generators.Rule));
                    break;
                case StepKind.DamageLine:
                    BringFilesUp(store);
                    // It is gone where the folder is sealed.
                    if (place.Exists(place.Layout.Segment(0)) && place.Bytes(place.Layout.Segment(0)) is { Length: > 0 } lines)
                    {
                        var offset = step.Seed % lines.Length;
                        place.Patch(place.Layout.Segment(0), offset, [(byte)(lines[offset] ^ (1 + step.Seed % 255))]);
                    }
                    break;
            }
        }

        private void ChangeRule(FileSystemEventStore store, TagRule rule)
        {
            BringFilesUp(store);
            var name = $"{rule.EventType}\0{rule.Member}\0{rule.Key}";
            Assert.True(model.Rules.Remove(name)
                ? store.RemoveTagRuleAsync(rule).GetAwaiter().GetResult()
                : model.Rules.TryAdd(name, rule) && store.AddTagRuleAsync(rule).GetAwaiter().GetResult());
            LetStoresNotice();
            Assert.Equal(model.Rules.Values, store.GetTagRulesAsync().GetAwaiter().GetResult());
        }

        // A line of an event that has no file yet is its only copy.
        private void BringFilesUp(FileSystemEventStore store)
        {
            if (useJournal)
                Assert.True(store.BringFilesUp());
        }

        // Without an index or with a journal not all that is stored is known to be durable.
        private void Seal(int keepNewest)
        {
            var isAllKnown = !useJournal && place.Exists(place.Layout.IndexFile) && place.Exists(place.Layout.Segment(0));
            place.Seal(keepNewest);
            if (isAllKnown)
            {
                var firstKept = Math.Max(1, place.Layout.ShardOf(model.Head) - (keepNewest - 1) * place.Layout.ShardPositions);
                Assert.All(Enumerable.Range(1, (int)firstKept - 1), position => Assert.True(IsSealed(position)));
            }
        }

        private bool IsSealed(long position) => place.Exists(place.Layout.SealedFile(place.Layout.ShardOf(position)));

        public void End()
        {
            foreach (var store in stores)
            {
                Read(store, Query.All, ReadOptions.Default);
                Append(store, [Events.New("end")], null);
                Read(store, Query.All, new ReadOptions { Backwards = true });
            }
            place.CloseStores();
            // The damage of a page that was not read since is still there, and of a line where a store continues to read the sealed file.
            Assert.All(place.Check().Findings, finding => Assert.Contains(finding.Path, wasUnsealed ? [.. Runs(), .. Segments()] : Runs()));
            for (var position = 1; position <= model.Head; position++)
            {
                Assert.Equal((model.Events[position - 1].First, model.Events[position - 1].Append.Length),
                    (place.Event(position).Commit.First, place.Event(position).Commit.Count));
            }
        }

        public void Dispose() => place.Dispose();

        private List<string> Runs() => [.. place.Names(place.Layout.Index).Where(static name => name.EndsWith(".run", StringComparison.Ordinal))
            .Select(name => $"{place.Layout.Index}/{name}").Order(StringComparer.Ordinal)];

        private List<string> Segments() => [.. place.Names(place.Layout.Log)
            .Where(name => place.Layout.TryParseSealedFileName(name, out _)).Select(name => $"{place.Layout.Log}/{name}")];

        private void DeleteIndex(int seed)
        {
            if (seed % 3 != 0)
                place.Delete(place.Layout.IndexFile);
            if (seed % 3 != 1)
                place.Delete(place.Layout.Segment(0));
        }

        // Open stores notice within a second.
        private void LetStoresNotice() => ((SimulatedClock)place.Clock).Advance(TimeSpan.FromSeconds(1));

        private void Append(FileSystemEventStore store, NewEvent[] events, AppendCondition? condition)
        {
            var expected = model.Append(events, condition);
            ListModel.Outcome actual;
            try
            {
                actual = new ListModel.Outcome(store.AppendAsync(events, condition).GetAwaiter().GetResult(), 0, model.Head);
                appends.Add((events, condition));
            }
            catch (AppendConditionFailedException e)
            {
                actual = new ListModel.Outcome(null, e.ConflictingPosition, e.Head);
            }
            Assert.Equal(expected, actual);
        }

        private void Read(FileSystemEventStore store, Query query, ReadOptions options)
        {
            var read = store.ReadAllAsync(query, options).GetAwaiter().GetResult();
            Assert.Equal(model.Read(query,
                options).Select(each => Describe(each.Position, each.Event.Id, each.Event.Type!, model.TagsOf(each.Event), each.Event.Json)),
                read.Select(e => Describe(e.Position, e.Id, e.Type, e.Tags, e.Json)));
            Assert.All(read, e => Assert.True(query.Matches(e)));
            Assert.Equal(model.Events.Count(each => model.Matches(query, each.Event)),
                model.Events.Count(each => query.Matches(each.Event.Type!, [.. model.TagsOf(each.Event)])));
            Assert.Equal(model.Head, store.GetHeadAsync().GetAwaiter().GetResult());
        }

        private static string Describe(long position, Guid id, string type, IEnumerable<Tag> tags, ReadOnlyMemory<byte> json) =>
            $"{position} {id} {type} {string.Join(' ', tags)} {Encoding.UTF8.GetString(json.Span)}";
    }
}
