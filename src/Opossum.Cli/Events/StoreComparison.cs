using Opossum.Cli.Commands;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Events;

/// <summary>Compares two stores event by event, up to the first difference.</summary>
internal sealed class StoreComparison(IEventStore a, IEventStore b)
{
    private const int ReportedEvery = 1_000;

    public async Task<DiffReport> RunAsync(IProgress<Step> progress, CancellationToken cancellationToken)
    {
        var headA = await a.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var headB = await b.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var common = Math.Min(headA, headB);
        // Both may grow meanwhile; what is compared ends where they ended.
        var options = new ReadOptions { UpTo = common };
        await using var eventsA = a.ReadAsync(Query.All, options, cancellationToken).GetAsyncEnumerator(cancellationToken);
        await using var eventsB = b.ReadAsync(Query.All, options, cancellationToken).GetAsyncEnumerator(cancellationToken);
        for (var position = 1L; position <= common; position++)
        {
            if (!await eventsA.MoveNextAsync().ConfigureAwait(false) || !await eventsB.MoveNextAsync().ConfigureAwait(false))
                throw new CliException(ExitCode.Failed, $"A store lost its event {position} while it was read. Run the command again.");
            if (Differences(eventsA.Current, eventsB.Current) is { Count: > 0 } different)
            {
                return new DiffReport(false, position - 1, headA, headB, different, DiffEvent.Of(eventsA.Current),
                    DiffEvent.Of(eventsB.Current));
            }
            if (position % ReportedEvery == 0)
                progress.Report(new Step("Comparing", position, common));
        }
        return new DiffReport(headA == headB, common, headA, headB, [], null, null);
    }

    private static List<string> Differences(SequencedEvent a, SequencedEvent b)
    {
        var different = new List<string>();
        if (a.Id != b.Id)
            different.Add("id");
        if (a.Type != b.Type || a.Version != b.Version)
            different.Add("type");
        if (a.Timestamp != b.Timestamp)
            different.Add("timestamp");
        if (!a.Tags.SequenceEqual(b.Tags))
            different.Add("tags");
        if (!a.Metadata.OrderBy(static each => each.Key, StringComparer.Ordinal)
            .SequenceEqual(b.Metadata.OrderBy(static each => each.Key, StringComparer.Ordinal)))
        {
            different.Add("metadata");
        }
        if (!a.StoredJson.Span.SequenceEqual(b.StoredJson.Span))
            different.Add("data");
        return different;
    }
}
