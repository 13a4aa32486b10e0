using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Index;

/// <summary>
/// The power is cut after and during every operation that adds or removes a tag rule: the store has the rule for all events or for none, and the same
/// change, made again, is done.
/// </summary>
public sealed class TagRuleCrashTests(ITestOutputHelper output)
{
    private static readonly TagRule rule = new("placed", "customer", "customer");

    // There rules are refused.
    internal static VolumeKind[] Kinds { get; } = [.. VolumeKinds.All.Where(static kind => !SimulatedVolume.Of(kind).CachesIgnoreLocks)];

    internal static CrashScenario[] CrashScenarios { get; } = [Of("a tag rule is added", isThere: false), Of("a tag rule is removed", isThere: true)];

    [Fact]
    public void A_tag_rule_is_added_or_removed() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, Kinds), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    private static CrashScenario Of(string name, bool isThere) => new(name, kind =>
    {
        using var place = StorePlace.On(kind, shardPositions: 4);
        place.Runs = new() { Length = 4, Fan = 2, LengthMax = 32, InBackground = false };
        var store = place.Open();
        for (var at = 0; at < 10; at++)
            Promises.Append(store, [Placed($"c{at % 2}")]);
        if (isThere)
            Change(store, isThere: false);
        place.CloseStores();
        var start = place.Disk!.Copy();
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, () => Change(StorePlace.On(disk).Open(), isThere),
                (left, cut, isDone) => CheckAfter(left, cut, isThere, isDone));
        };
    });

    private static void CheckAfter(SimulatedDisk left, PowerCut cut, bool wasThere, bool isDone)
    {
        using var after = StorePlace.On(left);
        if (isDone)
            Assert.DoesNotContain(after.Check().Findings, finding => finding.Path == after.Layout.Rules);
        var store = after.Open();
        var isThere = store.GetTagRulesAsync().GetAwaiter().GetResult().Contains(rule);
        Assert.True(!isDone || isThere != wasThere, "The change that was reported as done is lost.");
        AssertTags(store, isThere, 10);
        Promises.Append(store, [Placed("c0")]);
        AssertTags(store, isThere, 11);
        if (isThere == wasThere)
            Change(store, wasThere);
        AssertTags(store, !wasThere, 11);
        after.CloseStores();

        using var last = StorePlace.On(after.Disk!.AfterPowerCut(cut));
        AssertTags(last.Open(), !wasThere, 11);
        last.CloseStores();
        // A power cut may take lines, which are derived.
        Assert.DoesNotContain(last.Check().Findings,
            finding => !finding.Path.StartsWith(last.Layout.Log, StringComparison.Ordinal));
    }

    private static void AssertTags(FileSystemEventStore store, bool areThere, int count)
    {
        Assert.Equal(areThere ? Enumerable.Range(0, (count + 1) / 2).Select(static at => 2L * at + 1) : [],
            Promises.Read(store, Tagged("customer:c0")).Select(static e => e.Position));
        Assert.Throws<AppendConditionFailedException>(() => Promises.Append(store, [Placed("c0")],
            new AppendCondition(areThere ? Tagged("customer:c0") : Query.FromEventTypes("placed"))));
    }

    private static void Change(FileSystemEventStore store, bool isThere) =>
        Assert.True((isThere ? store.RemoveTagRuleAsync(rule) : store.AddTagRuleAsync(rule)).GetAwaiter().GetResult());

    private static NewEvent Placed(string customer) => NewEvent.FromJson("placed", $"{{\"customer\":\"{customer}\"}}");
}
