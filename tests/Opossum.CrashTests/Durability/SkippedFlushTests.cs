using System.Collections.Concurrent;
using System.Text.RegularExpressions;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Durability;

/// <summary>
/// What the crash tests are worth: a disk that only says that it has flushed something makes them fail, whichever flush of the engine that
/// is. So they
/// would fail, too, if the engine left the flush out.
/// </summary>
public sealed partial class SkippedFlushTests(ITestOutputHelper output)
{
    // So many moments at which the power is cut are tried for each scenario, the last first: what was to be durable by then is the most. Then those
    // right after the flush: a later flush may cover what it flushes.
    private const int MomentsMax = 6, MomentsAfter = 4;

    private static readonly VolumeKind[] all = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];
    private static readonly VolumeKind[] network = [VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse];
    private static readonly VolumeKind[] local = [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix];

    private static readonly PowerCut[] cuts =
        [new(PowerCutMode.LosesAll), new(PowerCutMode.LosesNames), new(PowerCutMode.ZeroesBytes), new(PowerCutMode.LosesBytes),
            .. PowerCut.Each(seeds: 4).Where(static cut => cut.Seed > 0)];

    private static readonly (CrashScenario Scenario, VolumeKind[] Kinds)[] scenarios =
    [
        (CrashScenario.Of(Scenarios.LoneAppends), all),
        (CrashScenario.Of(Scenarios.Groups), all),
        (CrashScenario.Of(Scenarios.Creation), all),
        (CrashScenario.Of(Scenarios.PeerThatCrashesBeforeItsFlush), all),
        (CrashScenario.Of(Scenarios.GroupsBesideForeignDirtyBytes), [VolumeKind.Btrfs]),
        (CrashScenario.Of(Scenarios.GroupsWhereOnlyTheWholeIsFlushed), [VolumeKind.Posix]),
        (CrashScenario.Of(Scenarios.Unflushed), local),
        (CrashScenario.Of(Scenarios.FlushedBehindUnflushed), local),
        (CrashScenario.Of(Scenarios.UnflushedCreation), local),
        (CrashScenario.Of(Scenarios.CreationThatOthersFinish), all),
        (CrashScenario.Of(Scenarios.SetAside), local),
        (CrashScenario.Of(FaultScenarios.Opening), all),
        (CrashScenario.Of(Scenarios.Journal), local),
        (CrashScenario.Of(Scenarios.JournalInTurns), local),
        (CrashScenario.Of(Scenarios.JournalOfOne), local),
        (CrashScenario.Of(Scenarios.JournalOfDead), local),
        (CrashScenario.Of(Scenarios.GroupsInFiles), network),
        (CrashScenario.Of(Scenarios.GroupsOfDead), network),
        (CrashScenario.Of(Scenarios.TakenBack), [VolumeKind.Btrfs]),
        (CrashScenario.Of(ProjectionScenario.FirstBuild), all),
        (CrashScenario.Of(ProjectionScenario.Update), all),
        (CrashScenario.Of(ProjectionScenario.TakeOver), all),
        (CrashScenario.Of(ProjectionScenario.Rebuild), all),
        (CrashScenario.Of(ProjectionScenario.OneByOne), all),
    ];

    private static readonly ConcurrentDictionary<(CrashScenario Scenario, VolumeKind Kind), Lazy<List<FlushPlay>>> known = new();

    /// <summary>A file system, and what it is taken for.</summary>
    public static TheoryData<string, string, string> Claims => new()
    {
        { nameof(VolumeKind.Posix), nameof(VolumeKind.Ext4), "a group's files by ranges, and their names by the flush of the last" },
        { nameof(VolumeKind.Btrfs), nameof(VolumeKind.Ext4), "a journal that keeps the order" },
        { nameof(VolumeKind.Posix), nameof(VolumeKind.Btrfs), "names by the flush of the file" },
        { nameof(VolumeKind.Fuse), nameof(VolumeKind.Smb), "names by the flush of the file, on a share" },
    };

    [Theory]
    [MemberData(nameof(Claims))]
    public void A_file_system_that_holds_less_than_it_claims_is_found_out(string kind, string claimed, string what)
    {
        Action<SimulatedDisk> claim = disk => disk.Volume = SimulatedVolume.Of(Enum.Parse<VolumeKind>(claimed));
        var losses = 0;
        foreach (var scenario in (Scenario[])[Scenarios.LoneAppends, Scenarios.Groups, Scenarios.Creation])
        {
            var run = CrashScenario.Of(scenario with { Adjust = claim }).Prepare(Enum.Parse<VolumeKind>(kind))();
            run.Play();
            losses += cuts.Count(cut => IsLoss(() => run.CheckAfter(cut), out _));
        }
        Assert.True(losses > 0, $"{kind} claims {what}, and no power cut takes anything.");
    }

    // Nothing was found lost without these.
    private static readonly Unseen[] unseen =
    [
        new(OperationKind.FlushFolder, "Events", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs],
            "The flush of a file in it covers the folder's name, or the server sees to it."),
        new(OperationKind.FlushFolder, "Events/#", [VolumeKind.Ext4, VolumeKind.Smb, VolumeKind.Nfs],
            "The journal keeps the order of removals and names; on shares it does nothing."),
        new(OperationKind.FlushFolder, ".", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs], "As for Events."),
        new(OperationKind.FlushFolder, "", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs], "As for Events."),
        new(OperationKind.FlushFolder, "/shop", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs], "As for Events."),
        new(OperationKind.FlushFolder, "Journal", [VolumeKind.Ext4, VolumeKind.Btrfs], "As for Events."),
        new(OperationKind.FlushFolder, "Projections", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs], "As for Events."),
        new(OperationKind.FlushFolder, "Projections/counts", [VolumeKind.Ext4, VolumeKind.Smb, VolumeKind.Nfs], "As for Events."),
        new(OperationKind.FlushFolder, "Projections/counts/live.#", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs],
            "As for Events."),
        new(OperationKind.FlushFolder, "Projections/counts/rebuild.#", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs],
            "As for Events."),
        new(OperationKind.FlushFolder, "Quarantine", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse],
            "As for Events; on Fuse no scenario looks at what lies there."),
        new(OperationKind.FlushFolder, "Quarantine/#", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse],
            "As for Quarantine."),
        new(OperationKind.Flush, "Quarantine/#/#.json", all, "What is set aside in the scenarios was durable before; on shares none looks at it."),
        new(OperationKind.Flush, ".store.lock", network,
            "Without the note an opening finds the groups of the newest folder; no scenario fills a folder."),
        new(OperationKind.Flush, "Events/#/#.json.#.new", network, "The flush after the move covers it."),
        new(OperationKind.Flush, "store.json", all, "A store's file that is lost is made again."),
        new(OperationKind.Flush, "store.json.new", [VolumeKind.Ext4, VolumeKind.Fuse, VolumeKind.Smb, VolumeKind.Nfs],
            "The flush after the move covers it; a file that is lost all the same is made again with the id that the index carries."),
        new(OperationKind.Flush, "Projections/counts/.lock", [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs],
            "In no scenario does a former leader live on behind a server's power cut."),
        new(OperationKind.Flush, "Projections/counts/live.#/checkpoint.#.json.new", all, "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/model.json", all,
            "Its writer has flushed it; it is there for one that was killed before."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/checkpoint.#.json", all, "A build that has lost it is begun again."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/checkpoint.#.json.new", all, "As for the checkpoint."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/model.json",
            [VolumeKind.Ext4, VolumeKind.Btrfs, VolumeKind.Posix, VolumeKind.Nfs, VolumeKind.Fuse],
            "The flush before the move and the folder's cover it, or the journal's order."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/model.json.new", all, "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/staging.#.#.#/#", [VolumeKind.Btrfs], "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/staging.#.#.#/#", [VolumeKind.Smb, VolumeKind.Nfs],
            "The flush after the move covers it."),
        new(OperationKind.Flush, "Projections/counts/live.#/states/#/", [VolumeKind.Nfs],
            "The server has made the name durable, and the flush before the move the bytes."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/states/#/", [VolumeKind.Nfs], "As for the live states."),
        new(OperationKind.Flush, "Projections/counts/rebuild.#/tags.#.log", [VolumeKind.Posix, VolumeKind.Smb, VolumeKind.Nfs, VolumeKind.Fuse],
            "A build whose tags are lost is begun again."),
        new(OperationKind.FlushRange, "Projections/counts/rebuild.#/tags.#.log", [VolumeKind.Ext4], "As for the flush."),
    ];

    [Fact]
    public void Every_flush_is_missed_when_the_disk_only_says_that_it_has_done_it()
    {
        var groups =
            from each in scenarios
            from kind in each.Kinds
            select new CaseGroup<FlushPlay>(() => [.. PlaysOf(each.Scenario, kind).Where(static play => IsToLast(play.Flush)
                && !Array.Exists(unseen, unseenOne => unseenOne.Covers(play.Flush)))]);
        Cases.TryEach(groups, Try, output);
    }

    [Fact]
    public void No_file_takes_its_name_before_its_bytes_are_flushed()
    {
        var groups =
            from each in scenarios
            from kind in each.Kinds
            select new CaseGroup<(CrashScenario Scenario, VolumeKind Kind)>(() => [(each.Scenario, kind)]);
        Cases.TryEach(groups, Play, output, "scenarios");

        static int Play((CrashScenario Scenario, VolumeKind Kind) each)
        {
            var run = each.Scenario.Prepare(each.Kind)();
            run.Disk.Trace = [];
            run.Play();
            Assert.Empty(FlushOrder.FindNamedBeforeFlush(run.Disk.Trace));
            return 1;
        }
    }

    [Fact]
    public void Flushes_of_which_nothing_is_seen_exist()
    {
        Assert.SkipUnless(Cases.AreAll, "It plays every scenario: OPOSSUM_TEST_ALL=1.");
        var flushes = scenarios.SelectMany(static each => each.Kinds.SelectMany(kind => PlaysOf(each.Scenario, kind)))
            .Select(static play => play.Flush).ToHashSet();
        Assert.All(unseen, each => Assert.Contains(flushes, each.Covers));
    }

    // The scenario itself, or another one with such a flush, finds it missing.
    private static int Try(FlushPlay each)
    {
        var states = 0;
        var plays = scenarios.Where(other => other.Scenario != each.Scenario && other.Kinds.Contains(each.Flush.Kind))
            .SelectMany(other => PlaysOf(other.Scenario, each.Flush.Kind)).Where(other => other.Flush == each.Flush).Prepend(each);
        Assert.True(plays.Any(play => FindLoss(play, ref states) is not null),
            "Nothing was lost: the flush is needless, or the crash tests do not see that it is missing.");
        return states;
    }

    // What is wrong after a power cut on a disk that skips the flush; null: nothing is.
    private static string? FindLoss(FlushPlay play, ref int states)
    {
        foreach (var at in MomentsOf(play))
        {
            var run = play.Begin();
            run.Disk.Skips = operation => FlushOf(operation) == play.Flush;
            if (at < play.Operations)
                run.Disk.CutAfter(at);
            Attempt.UntilTheEnd(run.Play);
            foreach (var cut in cuts)
            {
                states++;
                if (IsLoss(() => run.CheckAfter(cut), out var loss))
                    return $"{cut} after operation {at} of {play.Operations}: {loss}";
            }
        }
        return null;
    }

    private static IEnumerable<int> MomentsOf(FlushPlay play)
    {
        var step = Math.Max(1, (play.Operations - play.First) / (MomentsMax - 1));
        for (var at = play.Operations; at >= play.First; at -= step)
            yield return at;
        for (var at = play.First; at < Math.Min(play.First + MomentsAfter, play.Operations); at++)
            yield return at;
    }

    // Any other error is one of the test's own.
    private static bool IsLoss(Action check, out string? loss)
    {
        loss = null;
        try
        {
            check();
        }
        catch (Exception e) when (e is Xunit.Sdk.IAssertionException or EventStoreException)
        {
            loss = e.Message;
        }
        return loss is not null;
    }

    private static List<FlushPlay> PlaysOf(CrashScenario scenario, VolumeKind kind) =>
        known.GetOrAdd((scenario, kind), static each => new(() => FindPlays(each.Scenario, each.Kind))).Value;

    private static List<FlushPlay> FindPlays(CrashScenario scenario, VolumeKind kind)
    {
        var begin = scenario.Prepare(kind);
        var run = begin();
        var flushes = new Dictionary<Flush, int>();
        run.Disk.Skips = operation =>
        {
            flushes.TryAdd(FlushOf(operation), run.Disk.OperationCount);
            return false;
        };
        run.Play();
        // What is found lost elsewhere is lost by what was skipped alone.
        Array.ForEach(Cases.AreAll ? cuts : [cuts[0], cuts[new Random(Seed.Value).Next(1, cuts.Length)]], run.CheckAfter);
        return [.. flushes.Select(each => new FlushPlay(scenario, begin, each.Key, each.Value, run.Disk.OperationCount))];
    }

    // The index is derived from the event files, and its flushes on shares, as those of the lock's text, are there for other machines to
    // see it, not to last.
    private static bool IsToLast(Flush flush) =>
        !flush.Place.StartsWith("Index", StringComparison.Ordinal) && (flush.Place != ".store.lock" || flush.Operation == OperationKind.Flush);

    private static Flush FlushOf(SimulatedOperation operation) => new(operation.Client.Disk.Kind, operation.Kind, PlaceOf(operation.Path));

    // The path in the store, with # for each number, time, id and key.
    private static string PlaceOf(string path)
    {
        path = Variable().Replace(Root().Replace(path, "."), "#");
        path = State().Replace(path, "/states/#$1");
        return path.StartsWith("./", StringComparison.Ordinal) ? path[2..] : path;
    }

    [GeneratedRegex("^(/shop)?/store")]
    private static partial Regex Root();

    [GeneratedRegex(@"[0-9a-f]{32}|[0-9]{8}T[0-9.]+Z(-\d+)?|\d+")]
    private static partial Regex Variable();

    [GeneratedRegex("/states/[0-9a-f#]{1,3}(/#?)?.*")]
    private static partial Regex State();

    /// <summary>All flushes of one kind of the files or folders at one place.</summary>
    private sealed record Flush(VolumeKind Kind, OperationKind Operation, string Place);

    private sealed record Unseen(OperationKind Operation, string Place, VolumeKind[] Kinds, string Reason)
    {
        public bool Covers(Flush flush) => flush.Operation == Operation && flush.Place == Place && Kinds.Contains(flush.Kind);
    }

    /// <summary>A scenario in which there is such a flush: when the first one is, and how many operations there are.</summary>
    private sealed record FlushPlay(CrashScenario Scenario, Func<CrashRun> Begin, Flush Flush, int First, int Operations)
    {
        public override string ToString() => $"{Scenario.Name}: {Flush.Operation} of {Flush.Place} on {Flush.Kind}";
    }
}
