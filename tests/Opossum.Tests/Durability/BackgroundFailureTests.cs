using Opossum.Storage;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Durability;

/// <summary>What fails in the background, for whatever reason, is logged and tried again: on a thread of its own it would end the process.</summary>
public sealed class BackgroundFailureTests
{
    [Fact]
    public async Task Making_runs_of_the_index()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var logs = new Logs();
        place.Runs = new RunSettings { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };
        var client = place.Disk!.Attach();
        var store = place.Open(client, options => options.LoggerFactory = logs);
        for (var events = 1; events <= 30; events++)
            await store.AppendAsync([New("a")]);
        client.BeforeOperation = static operation => Fail(operation, OperationKind.Write, ".run.new");

        store.MakeRuns();

        Assert.Contains(logs.Lines, static line => line.Text.Contains("too large", StringComparison.Ordinal));
        Assert.DoesNotContain(place.Names(place.Layout.Index), static name => name.EndsWith(".run.new", StringComparison.Ordinal));
        client.BeforeOperation = null;
        store.MakeRuns();
        Assert.InRange((await store.GetStatusAsync()).Index.EventsReplayed, 4, 7);
    }

    [Fact]
    public async Task Writing_event_files_after_their_lines()
    {
        var clock = new TestClock();
        using var place = StorePlace.On(VolumeKind.Ext4, clock);
        using var logs = new Logs();
        var client = place.Disk!.Attach();
        var store = place.Open(client, options => (options.LoggerFactory, options.UseJournal) = (logs, true));
        await store.AppendAsync([New("a")]);
        client.BeforeOperation = static operation => Fail(operation, OperationKind.CreateNew, ".json");

        clock.Advance(TimeSpan.FromSeconds(2));

        Assert.Contains(logs.Lines, static line => line.Text.Contains("too large", StringComparison.Ordinal));
        Assert.False(place.Exists(place.Layout.EventFile(1)));
        client.BeforeOperation = null;
        clock.Advance(TimeSpan.FromSeconds(2));
        Assert.True(place.Exists(place.Layout.EventFile(1)));
    }

    private static void Fail(SimulatedOperation operation, OperationKind kind, string ending)
    {
        if (operation.Kind == kind && operation.Path.EndsWith(ending, StringComparison.Ordinal))
            throw new OverflowException("too large");
    }
}
