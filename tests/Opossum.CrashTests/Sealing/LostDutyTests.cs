using System.Text;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Repair;

namespace Opossum.SealingTests;

/// <summary>
/// A machine that seals or unseals loses its connection, and with it the duty to do so, which another one takes; it does not notice by itself.
/// </summary>
public sealed class LostDutyTests(ITestOutputHelper output)
{
    private static readonly CrashTarget[] targets =
    [
        new("sealing, while another machine unseals", SealedStores.Scenarios[0], static client => SealedStores.Seal(client),
            static other => SealedStores.Unseal(other)),
        new("unsealing, while another machine seals", SealedStores.Scenarios[1], static client => SealedStores.Unseal(client),
            static other => SealedStores.Seal(other)),
        new("sealing, while another machine redacts", SealedStores.Scenarios[0], static client => SealedStores.Seal(client), Redact,
            HasRedacted: true),
    ];

    /// <summary>At every operation but those that follow a look at the duty at once.</summary>
    [Fact]
    public void Machine_that_lost_its_duty_undoes_nothing_and_removes_nothing() =>
        Cases.TryEach(
            targets.SelectMany(static target => VolumeKinds.Network.Select(kind => new CaseGroup<LossCase>(() => Each(target, kind)))),
            Try, output, "losses");

    private static List<LossCase> Each(CrashTarget target, VolumeKind kind)
    {
        var on = target.Scenario.On(kind);
        var (disk, _) = on.Begin();
        var client = disk.Attach();
        var cases = new List<LossCase>();
        var operations = 0;
        client.BeforeOperation = operation =>
        {
            operations++;
            if (operation.Kind is not (OperationKind.Move or OperationKind.Delete or OperationKind.Close))
                cases.Add(new LossCase(target, on, operations, $"{operation}"));
        };
        target.Run(client);
        return cases;
    }

    private static int Try(LossCase each)
    {
        var (disk, history) = each.On.Begin();
        var client = disk.Attach();
        var operations = 0;
        client.BeforeOperation = _ =>
        {
            if (++operations != each.Operation)
                return;
            client.LoseConnection();
            each.Target.Others(disk.Attach());
        };
        if (Record.Exception(() => each.Target.Run(client)) is { } error)
            Assert.True(Assert.IsType<StoreMaintenanceException>(error).IsTransient);

        Assert.True(operations >= each.Operation);
        Assert.All(SealedStores.Check(disk).Findings, static finding => Assert.True(finding.Kind == FindingKind.UnfinishedSealing, $"{finding}"));
        if (each.Target.HasRedacted)
        {
            using var store = Promises.Open(disk);
            Assert.Contains("\"number\":null", Encoding.UTF8.GetString(Promises.Read(store, Query.All)[4].Json.Span), StringComparison.Ordinal);
        }
        else
        {
            Promises.Check(disk, history, deep: false);
        }
        SealedStores.Seal(disk.Attach());
        SealedStores.AssertClean(disk);
        return 1;
    }

    private static void Redact(SimulatedFileSystem other) => StoreRepair.Run(other, SteppedStore.LayoutOn(other.Disk), other.Disk.Clock,
        progress: null, Remedies.Redact(other.Disk.Clock, [5], ["number"]));

    private sealed record CrashTarget(string Name, Scenario Scenario, Action<SimulatedFileSystem> Run, Action<SimulatedFileSystem> Others,
        bool HasRedacted = false);

    private sealed record LossCase(CrashTarget Target, ScenarioOnDisk On, int Operation, string Text)
    {
        public override string ToString() => $"{Target.Name}, the duty is lost at operation {Operation} ({Text})";
    }
}
