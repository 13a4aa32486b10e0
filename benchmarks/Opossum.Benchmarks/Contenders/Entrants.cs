namespace Opossum.Benchmarks.Contenders;

/// <summary>The entrants of a measure. Disposing closes them all, even after a failure.</summary>
internal sealed class Entrants : IAsyncDisposable
{
    private readonly List<Entrant> all = [];

    public IReadOnlyList<Entrant> All => all;

    /// <summary>Waits until it is open and keeps it.</summary>
    public async Task<Entrant> AddAsync(Task<Entrant> opening)
    {
        var entrant = await opening;
        all.Add(entrant);
        return entrant;
    }

    /// <inheritdoc cref="Entrant.VerifyAsync"/>
    public async Task VerifyAsync()
    {
        foreach (var entrant in all)
            await entrant.VerifyAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var entrant in all)
            await entrant.DisposeAsync();
    }
}
