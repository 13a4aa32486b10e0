namespace Opossum.Benchmarks.Projections;

/// <summary>An event with a number, which keys of any number are made of.</summary>
[EventType("booked")]
internal sealed record Booked(int Number, int Amount, string Text)
{
    /// <summary>One of so many keys, which take turns.</summary>
    public string KeyOf(int keys) => $"account-{Number % keys}";

    /// <summary>A key that has so many events one behind the other.</summary>
    public string KeyOfRun(int events) => $"account-{Number / events}";
}
