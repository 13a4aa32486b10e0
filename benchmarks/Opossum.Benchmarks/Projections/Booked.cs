namespace Opossum.Benchmarks.Projections;

/// <summary>An event with a number, which keys of any number are made of.</summary>
[EventType("booked")]
internal sealed record Booked(int Number, int Amount, string Text)
{
    /// <summary>One of the given number of keys, used in turn.</summary>
    public string KeyOf(int keys) => $"account-{Number % keys}";

    /// <summary>A key that has the given number of events in a row.</summary>
    public string KeyOfRun(int events) => $"account-{Number / events}";
}
