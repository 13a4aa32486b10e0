using System.Diagnostics;
using Opossum;

namespace AssemblyLine;

/// <summary>
/// A store that measures how long appends take, and counts refused ones. The first append of a process is not measured: most of its time
/// goes into compiling code.
/// </summary>
internal sealed class MeteredStore(IEventStore store) : IEventStore
{
    private readonly Lock gate = new();
    private MachineReport report = MachineReport.Nothing;
    private bool isWarm;

    public async Task<AppendResult> AppendAsync(IReadOnlyList<NewEvent> events, AppendCondition? condition = null,
        CancellationToken cancellationToken = default)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            var result = await store.AppendAsync(events, condition, cancellationToken);
            var milliseconds = Stopwatch.GetElapsedTime(began).TotalMilliseconds;
            lock (gate)
            {
                if (isWarm)
                    report = report with { AppendMilliseconds = [.. report.AppendMilliseconds, milliseconds] };
                isWarm = true;
            }
            return result;
        }
        catch (AppendConditionFailedException)
        {
            lock (gate)
                report = report with { Conflicts = report.Conflicts + 1 };
            throw;
        }
    }

    public EventStream ReadAsync(Query query, ReadOptions? options = null, CancellationToken cancellationToken = default) =>
        store.ReadAsync(query, options, cancellationToken);

    public Task<long> GetHeadAsync(CancellationToken cancellationToken = default) => store.GetHeadAsync(cancellationToken);

    public IAsyncEnumerable<SequencedEvent> SubscribeAsync(Query query, long after = 0, CancellationToken cancellationToken = default) =>
        store.SubscribeAsync(query, after, cancellationToken);

    /// <summary>Returns what happened since the last report.</summary>
    public MachineReport TakeReport()
    {
        lock (gate)
        {
            var taken = report;
            report = MachineReport.Nothing;
            return taken;
        }
    }
}
