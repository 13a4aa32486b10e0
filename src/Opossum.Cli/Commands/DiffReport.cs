namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum diff</c>.</summary>
/// <param name="SameUpTo">The last position up to which they do.</param>
/// <param name="HeadA">The first store's last position.</param>
/// <param name="HeadB">The second store's last position.</param>
/// <param name="Different">The members of the first event that differs; empty when one store only has more events.</param>
/// <param name="A">That event in the first store; null when none differs.</param>
/// <param name="B">That event in the second store; null when none differs.</param>
internal sealed record DiffReport(bool IsSame, long SameUpTo, long HeadA, long HeadB, IReadOnlyList<string> Different, DiffEvent? A, DiffEvent? B);
