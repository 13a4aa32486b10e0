namespace Opossum.AspNetCoreTests.Pages;

/// <summary>A clock that a test sets.</summary>
internal sealed class SteppedClock : TimeProvider
{
    public static readonly DateTimeOffset Begin = new(2026, 1, 31, 18, 0, 0, TimeSpan.Zero);

    public DateTimeOffset Now { get; set; } = Begin;

    public override DateTimeOffset GetUtcNow() => Now;
}
