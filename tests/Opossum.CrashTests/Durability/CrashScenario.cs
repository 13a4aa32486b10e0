using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Durability;

/// <summary>What the crash tests of stores, of projections and of repairs play, in one form.</summary>
/// <param name="Name">What is played.</param>
/// <param name="Prepare">Prepares it on a kind of disk; each call of the result is a run of its own.</param>
internal sealed record CrashScenario(string Name, Func<VolumeKind, Func<CrashRun>> Prepare)
{
    public static CrashScenario Of(Scenario scenario) => new(scenario.Name, kind =>
    {
        var prepared = scenario.On(kind);
        return () =>
        {
            var (disk, history) = prepared.Begin();
            return new CrashRun(disk, () => scenario.Play(disk.Attach(), history), cut => Promises.CheckAfter(disk, cut, history, scenario));
        };
    });

    public static CrashScenario Of(ProjectionScenario scenario) => new($"projection: {scenario.Name}", kind =>
    {
        var start = scenario.Start(kind);
        return () =>
        {
            var process = scenario.Ready(start);
            var before = process.ReadAll();
            return new CrashRun(process.Client.Disk, Play, cut => ProjectionScenario.CheckAfter(process.Client.Disk, before, cut));

            void Play()
            {
                scenario.Play(process);
                before = process.ReadAll();
            }
        };
    });

    public override string ToString() => Name;
}
