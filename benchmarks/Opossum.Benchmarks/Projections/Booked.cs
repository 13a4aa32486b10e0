namespace Opossum.Benchmarks.Projections;

/// <summary>An event with a number, which keys of any number are made of.</summary>
[EventType("booked")]
internal sealed record Booked(int Number, int Amount, string Text)
{
    public string KeyOf(int keys) => $"account-{Number % keys}";
}
