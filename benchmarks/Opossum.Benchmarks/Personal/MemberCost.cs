using System.Diagnostics;
using Opossum.Benchmarks.Measuring;
using Opossum.Testing;

namespace Opossum.Benchmarks.Personal;

/// <summary>What a personal member adds to an event, in microseconds of one thread, on a store in memory.</summary>
/// <param name="Sealing">An append of an event with a personal member, less one of the same event without.</param>
/// <param name="Opening">Reading the data of such an event, less reading that of the other.</param>
/// <param name="PlainWriting">An append of an event without a personal member to a store with keys, less one to a store without.</param>
/// <param name="PlainReading">The same for reading its data.</param>
internal sealed record MemberCost(Distribution Sealing, Distribution Opening, Distribution PlainWriting, Distribution PlainReading)
{
    private const int Events = 2_000;
    private const int Batch = 500;

    public static async Task<MemberCost> MeasureAsync(int rounds, CancellationToken cancellationToken)
    {
        var (sealing, opening, plainWriting, plainReading) = (new List<double>(), new List<double>(), new List<double>(), new List<double>());
        for (var round = 0; round <= rounds; round++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var turns = new (double Write, double Read)[3];
            // In turns, so that what the one before left to the garbage collector, and the machine's drift, affect all alike.
            for (var turn = 0; turn < turns.Length; turn++)
            {
                var at = (round + turn) % turns.Length;
                turns[at] = at switch
                {
                    0 => await RoundAsync(each => new Patient(each, Patient.Secret, "north"), MasterKey.Create()),
                    1 => await RoundAsync(each => new Visit(each, Patient.Secret, "north"), MasterKey.Create()),
                    _ => await RoundAsync(each => new Visit(each, Patient.Secret, "north"), masterKey: null),
                };
            }
            var (personal, plain, without) = (turns[0], turns[1], turns[2]);
            // The first round warms up.
            if (round == 0)
                continue;
            sealing.Add(personal.Write - plain.Write);
            opening.Add(personal.Read - plain.Read);
            plainWriting.Add(plain.Write - without.Write);
            plainReading.Add(plain.Read - without.Read);
        }
        return new MemberCost(new Distribution(sealing), new Distribution(opening), new Distribution(plainWriting), new Distribution(plainReading));
    }

    private static async Task<(double Write, double Read)> RoundAsync(Func<string, object> make, MasterKey? masterKey)
    {
        await using var store = InMemoryEventStore.Open(Patient.Options("", masterKey));
        // The person's key is made before.
        await store.AppendAsync([new NewEvent(make("p1"))]);
        GC.Collect();
        var writing = Stopwatch.StartNew();
        for (var at = 0; at < Events; at += Batch)
            await store.AppendAsync([.. Enumerable.Range(0, Batch).Select(_ => new NewEvent(make("p1")))]);
        writing.Stop();
        var reading = Stopwatch.StartNew();
        await foreach (var e in store.ReadAsync(Query.All))
            _ = e.Data;
        return (writing.Elapsed.TotalMicroseconds / Events, reading.Elapsed.TotalMicroseconds / Events);
    }
}
