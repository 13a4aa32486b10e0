using Opossum.Storage.Definitions;
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
    private const int AtFirst = 10;

    private static readonly TagRule rule = new("placed", "customer", "customer");

    // There rules are refused.
    internal static VolumeKind[] Kinds { get; } = [.. VolumeKinds.All.Where(static kind => !SimulatedVolume.Of(kind).CachesIgnoreLocks)];

    internal static CrashScenario[] CrashScenarios { get; } =
    [
        Of("a tag rule is added", isThere: false), Of("a tag rule is removed", isThere: true),
        Of("a tag rule of a process that has ended is taken in", isThere: false, static disk => KillBeforeFlush(disk)),
        Of("a tag rule of a process that has ended is in an index that is made again", isThere: false, static disk =>
        {
            var layout = KillBeforeFlush(disk).Layout;
            var files = disk.Attach();
            files.Delete(layout.IndexFile);
            files.FlushFolder(layout.Index);
        }),
    ];

    [Fact]
    public void A_tag_rule_is_added_or_removed() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, Kinds), CrashCut.Try, output, Cases.PowerCuts, share: 0.5);

    // By default the rule is added or removed; otherwise an opening takes in what is left.
    private static CrashScenario Of(string name, bool isThere, Action<SimulatedDisk>? leave = null) => new(name, kind =>
    {
        using var place = StorePlace.On(kind, shardPositions: 4);
        place.Runs = new() { Length = 4, Fan = 2, LengthMax = 32, InBackground = false };
        var store = place.Open();
        for (var at = 0; at < AtFirst; at++)
            Promises.Append(store, [Placed($"c{at % 2}")]);
        if (isThere)
            Change(store, isThere: false);
        place.CloseStores();
        var start = place.Disk!.Copy();
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, Play, (left, cut, isDone) => CheckAfter(left, cut, isThere, isDone));

            void Play()
            {
                leave?.Invoke(disk);
                var store = StorePlace.On(disk).Open();
                if (leave is null)
                    Change(store, isThere);
                else
                    Promises.Append(store, [Placed("c0")]);
            }
        };
    });

    // The rule's file has its name by then.
    private static StorePlace KillBeforeFlush(SimulatedDisk disk)
    {
        var place = StorePlace.On(disk);
        var client = disk.Attach();
        var store = place.Open(client);
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Flush && operation.Path == TagRuleFiles.List(client, place.Layout).SingleOrDefault())
                client.Kill();
        };
        Assert.Throws<ProcessKilledException>(() => Change(store, isThere: false));
        return place;
    }

    private static void CheckAfter(SimulatedDisk left, PowerCut cut, bool wasThere, bool isDone)
    {
        using var after = StorePlace.On(left);
        if (isDone)
            Assert.DoesNotContain(after.Check().Findings, finding => finding.Path == after.Layout.Rules);
        var store = after.Open();
        var isThere = store.GetTagRulesAsync().GetAwaiter().GetResult().Contains(rule);
        Assert.True(!isDone || isThere != wasThere, "The change that was reported as done is lost.");
        AssertTags(store, isThere);
        Promises.Append(store, [Placed("c0")]);
        AssertTags(store, isThere);
        if (isThere == wasThere)
            Change(store, wasThere);
        AssertTags(store, !wasThere);
        after.CloseStores();

        using var last = StorePlace.On(after.Disk!.AfterPowerCut(cut));
        AssertTags(last.Open(), !wasThere);
        last.CloseStores();
        // A power cut may take lines, which are derived.
        Assert.DoesNotContain(last.Check().Findings,
            finding => !finding.Path.StartsWith(last.Layout.Log, StringComparison.Ordinal));
    }

    private static void AssertTags(FileSystemEventStore store, bool areThere)
    {
        var positions = Promises.Read(store, Query.All).Select(static e => e.Position);
        Assert.Equal(areThere ? positions.Where(static position => position % 2 == 1 || position > AtFirst) : [],
            Promises.Read(store, Tagged("customer:c0")).Select(static e => e.Position));
        Assert.Throws<AppendConditionFailedException>(() => Promises.Append(store, [Placed("c0")],
            new AppendCondition(areThere ? Tagged("customer:c0") : Query.FromEventTypes("placed"))));
    }

    private static void Change(FileSystemEventStore store, bool isThere) =>
        Assert.True((isThere ? store.RemoveTagRuleAsync(rule) : store.AddTagRuleAsync(rule)).GetAwaiter().GetResult());

    private static NewEvent Placed(string customer) => NewEvent.FromJson("placed", $"{{\"customer\":\"{customer}\"}}");
}
