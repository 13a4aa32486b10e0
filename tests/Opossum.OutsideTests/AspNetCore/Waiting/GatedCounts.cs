namespace Opossum.AspNetCoreTests.Waiting;

public sealed record Count(int Events);

/// <summary>A projection that stops before an event until its gate is open.</summary>
public sealed class GatedCounts : Projection<Count>
{
    public GatedCounts(Gate gate)
        : base("gated-counts")
    {
        On("counted", static _ => "all", (count, _) =>
        {
            gate.Opened.Wait();
            return new Count((count?.Events ?? 0) + 1);
        });
        On("poisoned", static _ => "all", static (_, _) => throw new InvalidOperationException("Poisoned on purpose."));
    }
}
