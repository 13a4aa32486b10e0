using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A moment of a scenario at which the power is cut.</summary>
internal sealed record CrashCut(CrashScenario Scenario, VolumeKind Kind, Func<CrashRun> Begin, Cut Cut)
{
    /// <summary>Cuts after each operation and during each write of scenarios on kinds of disks.</summary>
    public static IEnumerable<CaseGroup<CrashCut>> Groups(IEnumerable<CrashScenario> scenarios, VolumeKind[] kinds) =>
        from scenario in scenarios
        from kind in kinds
        select new CaseGroup<CrashCut>(() => Of(scenario, kind));

    /// <summary>Cuts the power there. Returns how many states of the disk were checked.</summary>
    public static int Try(CrashCut each) => each.Begin().CutAt(each.Cut);

    public override string ToString() => $"{Scenario} on {Kind}, {Cut}";

    private static List<CrashCut> Of(CrashScenario scenario, VolumeKind kind)
    {
        var begin = scenario.Prepare(kind);
        var run = begin();
        run.Disk.Trace = [];
        run.Play();
        return [.. Cut.Each(run.Disk.Trace).Select(cut => new CrashCut(scenario, kind, begin, cut))];
    }
}
