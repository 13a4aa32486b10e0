using System.Collections.Concurrent;
using System.Diagnostics;
using System.Reflection;
using System.Text.RegularExpressions;
using Opossum.FileSystem;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Durability;

/// <summary>
/// What the crash tests are worth: a disk that only says that it has flushed something makes them fail, whichever flush of the engine that
/// is. So they would fail, too, if the engine left the flush out.
/// </summary>
public sealed partial class SkippedFlushTests(ITestOutputHelper output)
{
    // So many moments at which the power is cut are tried for each scenario, the last first: what was to be durable by then is the most. Then those
    // right after the first and the last such flush: a later flush may cover what it flushes.
    private const int MomentsMax = 6, MomentsAfter = 4;

    // So many of the cuts are tried first, in all scenarios: few flushes need more.
    private const int CutsFirst = 4;

    private static readonly PowerCut[] cuts =
        [new(PowerCutMode.LosesAll), new(PowerCutMode.LosesNames), new(PowerCutMode.ZeroesBytes), new(PowerCutMode.LosesBytes),
            .. PowerCut.Each(seeds: 4).Where(static cut => cut.Seed > 0)];

    private static readonly (CrashScenario Scenario, VolumeKind[] Kinds)[] scenarios = FlushScenarios.All;

    private static IEnumerable<(CrashScenario Scenario, VolumeKind Kind)> Pairs =>
        scenarios.SelectMany(static each => each.Kinds, static (each, kind) => (each.Scenario, kind));

    private static readonly ConcurrentDictionary<(CrashScenario Scenario, VolumeKind Kind), Lazy<List<FlushPlay>>> known = new();
    private static readonly HashSet<FlushKind> seen = [];

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
            losses += cuts.Count(cut => IsLossAfter(run, cut));
        }
        Assert.True(losses > 0, $"{kind} claims {what}, and no power cut takes anything.");
    }

    [Fact]
    public void Every_flush_is_missed_when_the_disk_only_says_that_it_has_done_it()
    {
        var groups = Pairs.Select(static each => new CaseGroup<FlushPlay>(() =>
            [.. PlaysOf(each.Scenario, each.Kind).Where(static play => IsToLast(play.Flush) && !UnseenFlush.IsAny(play.Flush))]));
        Cases.TryEach(groups, Try, output, share: 2);
    }

    [Fact]
    public void No_file_takes_its_name_before_its_bytes_are_flushed()
    {
        Cases.TryEach(Pairs.Select(static each => new CaseGroup<(CrashScenario Scenario, VolumeKind Kind)>(() => [each])), Play, output, "scenarios");

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
    public void Every_scenario_of_stores_and_projections_is_played()
    {
        var all = ((Type[])[typeof(Scenarios), typeof(ProjectionScenario)])
            .SelectMany(static type => type.GetMembers(BindingFlags.Public | BindingFlags.Static))
            .Select(static member => (member as PropertyInfo)?.GetValue(null) ?? (member as FieldInfo)?.GetValue(null))
            .Select(static value => value switch
            {
                Scenario scenario => CrashScenario.Of(scenario).Name,
                ProjectionScenario scenario => CrashScenario.Of(scenario).Name,
                _ => null,
            }).OfType<string>().ToList();

        Assert.NotEmpty(all);
        Assert.Equal("", string.Join('\n', all.Except(scenarios.Select(static each => each.Scenario.Name))));
    }

    [Fact]
    public void Flushes_of_which_nothing_is_seen_exist()
    {
        Assert.SkipUnless(Cases.AreAll, "It plays every scenario: OPOSSUM_TEST_ALL=1.");
        var flushes = Pairs.SelectMany(static each => PlaysOf(each.Scenario, each.Kind)).Select(static play => play.Flush).ToHashSet();
        Assert.All(UnseenFlush.All, each => Assert.Contains(flushes, each.Covers));
    }

    // The scenario itself, or another one with such a flush, finds it missing.
    private static int Try(FlushPlay each)
    {
        var states = 0;
        if (seen.Contains(each.Flush))
            return states;
        // What takes longer to see is left to runs that have more time.
        var clock = Stopwatch.StartNew();
        Func<bool> isOver = () => !Cases.AreAll && clock.Elapsed > 2 * Cases.Share;
        if (IsSeen(each, isOver, ref states))
            seen.Add(each.Flush);
        else
            Assert.True(isOver(), "Nothing was lost: the flush is needless, or the crash tests do not see that it is missing.");
        return states;
    }

    private static bool IsSeen(FlushPlay each, Func<bool> isOver, ref int states)
    {
        var plays = scenarios.Where(other => other.Scenario != each.Scenario && other.Kinds.Contains(each.Flush.Kind))
            .SelectMany(other => PlaysOf(other.Scenario, each.Flush.Kind)).Where(other => other.Flush == each.Flush).Prepend(each);
        plays = plays.TakeWhile(_ => !isOver());
        return IsLostIn(plays, FirstMoments, cuts[..CutsFirst], ref states) || IsLostIn(plays, LikelyMoments, cuts, ref states)
            || IsLostIn(plays, AllMoments, cuts, ref states);
    }

    private static bool IsLostIn(IEnumerable<FlushPlay> plays, Func<FlushPlay, IEnumerable<int>> momentsOf, PowerCut[] cuts, ref int states)
    {
        foreach (var play in plays)
        {
            if (IsLostAt(momentsOf(play), play, cuts, ref states))
                return true;
        }
        return false;
    }

    // Whether something is wrong after a power cut at one of the moments, on a disk that skips the flush.
    private static bool IsLostAt(IEnumerable<int> moments, FlushPlay play, PowerCut[] cuts, ref int states)
    {
        foreach (var at in moments)
        {
            var run = play.Begin();
            run.Disk.Skips = operation => FlushOf(operation) == play.Flush;
            if (at < play.Operations)
                run.Disk.CutAfter(at);
            Attempt.UntilTheEnd(run.Play);
            foreach (var cut in cuts)
            {
                states++;
                if (IsLossAfter(run, cut))
                    return true;
            }
        }
        return false;
    }

    private static IEnumerable<int> LikelyMoments(FlushPlay play)
    {
        var step = Math.Max(1, (play.Operations - play.First) / (MomentsMax - 1));
        for (var at = play.Operations; at >= play.First; at -= step)
            yield return at;
        foreach (var flush in (int[])[play.First, play.Last])
        {
            for (var at = flush; at < Math.Min(flush + MomentsAfter, play.Operations); at++)
                yield return at;
        }
    }

    // Most flushes are missed at the end.
    private static IEnumerable<int> FirstMoments(FlushPlay play) => [play.Operations, play.First, Math.Min(play.First + 1, play.Operations)];

    private static IEnumerable<int> AllMoments(FlushPlay play) => Enumerable.Range(play.First, play.Operations - play.First);

    // A check that looks into a folder that is lost says so by itself. Any other error is one of the test's own.
    private static bool IsLossAfter(CrashRun run, PowerCut cut)
    {
        try
        {
            run.CheckAfter(cut);
            return false;
        }
        catch (Exception e) when (e is Xunit.Sdk.IAssertionException or EventStoreException or FileSystemException)
        {
            return true;
        }
    }

    private static List<FlushPlay> PlaysOf(CrashScenario scenario, VolumeKind kind) =>
        known.GetOrAdd((scenario, kind), static each => new(() => FindPlays(each.Scenario, each.Kind))).Value;

    private static List<FlushPlay> FindPlays(CrashScenario scenario, VolumeKind kind)
    {
        var begin = scenario.Prepare(kind);
        var run = begin();
        var flushes = new Dictionary<FlushKind, (int First, int Last)>();
        var before = run.Disk.OperationCount;
        run.Disk.Skips = operation =>
        {
            var (flush, at) = (FlushOf(operation), run.Disk.OperationCount - before);
            flushes[flush] = (flushes.TryGetValue(flush, out var known) ? known.First : at, at);
            return false;
        };
        run.Play();
        var operations = run.Disk.OperationCount - before;
        // What is found lost elsewhere is lost by what was skipped alone.
        Array.ForEach(Cases.AreAll ? cuts : [cuts[0], cuts[new Random(Seed.Value).Next(1, cuts.Length)]], run.CheckAfter);
        return [.. flushes.Select(each => new FlushPlay(scenario, begin, each.Key, each.Value.First, each.Value.Last, operations))];
    }

    // The index is derived from the event files, and its flushes on shares, as those of the log and of the lock's text, are there for other machines
    // to see it, not to last.
    private static bool IsToLast(FlushKind flush) =>
        !flush.Place.StartsWith("Index", StringComparison.Ordinal)
            && (!flush.Place.StartsWith("Log", StringComparison.Ordinal) || VolumeKinds.Local.Contains(flush.Kind))
            && (!flush.Place.EndsWith(".store.lock", StringComparison.Ordinal) || flush.Operation == OperationKind.Flush);

    private static FlushKind FlushOf(SimulatedOperation operation) => new(operation.Client.Disk.Kind, operation.Kind, PlaceOf(operation.Path));

    // The path in the store, with # for each number, time, id, pseudonym and key.
    private static string PlaceOf(string path)
    {
        path = Variable().Replace(Root().Replace(path, "."), "#");
        path = State().Replace(path, "/states/#$1");
        return path.StartsWith("./", StringComparison.Ordinal) ? path[2..] : path.Length == 0 ? "/" : path;
    }

    [GeneratedRegex("^(/shop)?/store")]
    private static partial Regex Root();

    [GeneratedRegex(@"(?<=%3a%7e)[^./]+|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{8}T[0-9.]+Z(-\d+)?|\d+")]
    private static partial Regex Variable();

    [GeneratedRegex("/states/[0-9a-f#]{1,3}(/#?)?.*")]
    private static partial Regex State();

    /// <summary>A scenario in which there is such a flush: when the first and the last one are, and how many operations
    /// there are.</summary>
    private sealed record FlushPlay(CrashScenario Scenario, Func<CrashRun> Begin, FlushKind Flush, int First, int Last, int Operations)
    {
        public override string ToString() => $"{Scenario.Name}: {Flush.Operation} of {Flush.Place} on {Flush.Kind}";
    }
}
