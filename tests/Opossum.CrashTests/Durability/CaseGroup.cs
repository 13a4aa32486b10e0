using System.Diagnostics.CodeAnalysis;

namespace Opossum.Tests.Durability;

/// <summary>Cases that have what they begin with in common, such as a scenario on a kind of disk. It is prepared when the first is drawn.</summary>
/// <param name="make">Makes all of them, in the same order in every run.</param>
/// <param name="every">In how many rounds it has one turn: more than 1 where a case takes much longer than those of other groups.</param>
internal sealed class CaseGroup<T>(Func<IReadOnlyList<T>> make, int every = 1)
{
    // The same full set in every run.
    private const int SeedOfFullSet = 1;

    private T[]? cases;

    /// <summary>How many were drawn.</summary>
    public int Drawn { get; private set; }

    /// <summary>How many a run draws from; 0 before one is drawn. The full set may have fewer than there are.</summary>
    public int Count => cases?.Length ?? 0;

    /// <summary>How many there are; 0 before one is drawn.</summary>
    public int CountOfAll { get; private set; }

    /// <summary>
    /// What cases have in common of which the full set has only a few, such as the operation that fails; null: the full set has all cases.
    /// </summary>
    public Func<T, object>? KindOf { get; init; }

    /// <summary>How many of each kind the full set has, chosen by a seed that is always the same.</summary>
    public int OfEachKind { get; init; } = 1;

    /// <summary>Whether all were drawn.</summary>
    public bool IsEmpty => Drawn == cases?.Length;

    /// <summary>Whether it has a turn in a round; the first one that it has is another in each run.</summary>
    public bool HasTurn(int round) => (round + Seed.Value) % every == 0;

    /// <summary>The cases each in several variants.</summary>
    public CaseGroup<TResult> With<TVariant, TResult>(IReadOnlyList<TVariant> variants, Func<T, TVariant, TResult> combine) =>
        new(() => [.. make().SelectMany(_ => variants, combine)], every);

    public CaseGroup<T> Where(Func<T, bool> isMeant) => new(() => [.. make().Where(isMeant)], every);

    /// <summary>Takes one that was not drawn yet: the next one when all are tried, else any.</summary>
    public bool TryDraw(Random random, [NotNullWhen(true)] out T? drawn)
    {
        Prepare();
        drawn = default;
        if (IsEmpty)
            return false;
        if (!Cases.AreAllPlayed)
        {
            var at = random.Next(Drawn, cases.Length);
            (cases[Drawn], cases[at]) = (cases[at], cases[Drawn]);
        }
        drawn = cases[Drawn++]!;
        return true;
    }

    /// <summary>Makes the cases, if they were not made yet.</summary>
    [MemberNotNull(nameof(cases))]
    public void Prepare()
    {
        if (cases is not null)
            return;
        var all = make();
        CountOfAll = all.Count;
        cases = Cases.AreAll && KindOf is not null ? FewOfEachKind(all, KindOf) : [.. all];
    }

    private T[] FewOfEachKind(IReadOnlyList<T> all, Func<T, object> kindOf)
    {
        var random = new Random(SeedOfFullSet);
        return [.. all.GroupBy(kindOf).SelectMany(same =>
        {
            var shuffled = same.ToArray();
            random.Shuffle(shuffled);
            return shuffled.Take(OfEachKind);
        })];
    }
}
