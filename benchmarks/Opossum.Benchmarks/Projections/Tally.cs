namespace Opossum.Benchmarks.Projections;

/// <summary>How many events a key has had.</summary>
internal sealed record Tally(int Number, long Amount);

/// <summary>Counts the events of a key and adds up what they say.</summary>
internal sealed class Tallies : Projection<Tally>
{
    public Tallies(string name, Func<Booked, string> key)
        : base(name) => On<Booked>(key, (tally, e) => new Tally((tally?.Number ?? 0) + 1, (tally?.Amount ?? 0) + e.Amount));
}
