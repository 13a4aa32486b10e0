using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Measuring;
using Opossum.Storage;

namespace Opossum.Benchmarks.Ages;

/// <summary>Appends to a store that makes runs of its index meanwhile, in turns with the same appends to one that makes none.</summary>
internal sealed class AgesAppends(WorkFolder folder, bool isShort, CancellationToken cancellationToken)
{
    // Two of the smallest runs are due in a turn of concurrent appends, and one in a turn of lone ones.
    private static readonly int runLength = new RunSettings().Length;

    /// <summary>The times of an event, in microseconds: with and without runs, concurrent and alone.</summary>
    public async Task<(AgesPair Concurrent, AgesPair Alone)> RunAsync()
    {
        await using var with = new OpossumContender(folder.Below("runs"));
        await using var without = new OpossumContender(folder.Below("no-runs")) { MakesRuns = false };
        await with.OpenAsync();
        await without.OpenAsync();
        await using Entrant first = new(with, new EventFeed(runLength)), second = new(without, new EventFeed(runLength));
        // From then on a run is due each time that number of events was appended.
        foreach (var entrant in new[] { first, second })
            await (await entrant.Concurrently(Entrant.Writers, isShort ? 1 : 2 * runLength / Entrant.Writers).PrepareAsync())();
        var each = isShort ? 1 : 2 * runLength / Entrant.Writers;
        var concurrent = await CompareAsync(isShort ? 2 : 10, entrant => entrant.Concurrently(Entrant.Writers, each));
        var alone = await CompareAsync(isShort ? 2 : 5, entrant => entrant.Alone(isShort ? 10 : runLength));
        return (concurrent, alone);

        async Task<AgesPair> CompareAsync(int rounds, Func<Entrant, Slice> slice)
        {
            var measured = await Interleaved.RunAsync([AfterRuns(slice(first)), AfterRuns(slice(second))], rounds, WarmUp.Of(isShort), folder,
                cancellationToken);
            return new AgesPair(measured[0].Microseconds, measured[1].Microseconds);
        }

        // What is still being made of one turn must not be part of the next one.
        Slice AfterRuns(Slice slice) => slice with
        {
            PrepareAsync = () =>
            {
                with.Store.MakeRuns();
                return slice.PrepareAsync();
            },
        };
    }
}
