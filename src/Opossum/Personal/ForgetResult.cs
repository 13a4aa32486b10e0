using Opossum.Maintenance;

namespace Opossum;

/// <summary>What <see cref="IPersonalData.ForgetAsync"/> has done.</summary>
public sealed record ForgetResult
{
    /// <summary>The person.</summary>
    public required Tag Subject { get; init; }

    /// <summary>When the key was removed.</summary>
    public required DateTimeOffset Forgotten { get; init; }

    /// <summary>
    /// The position of the <see cref="PersonForgotten"/> event; null if the person was already forgotten.
    /// </summary>
    public required long? Position { get; init; }

    /// <summary>
    /// Whether there was a key: if not, no personal data of the person was ever stored encrypted, unless <see cref="NotSearched"/> says that there
    /// was no master key.
    /// </summary>
    public required bool HadKey { get; init; }

    /// <summary>
    /// The files of projections and reactions in which a value of the person stood in plain, such as in an error that a handler reported: there it
    /// was replaced by <c>(forgotten)</c>.
    /// </summary>
    public IReadOnlyList<string> Blanked { get; init; } = [];

    /// <summary>The files of projections and reactions in which such a value still stands, or which could not be searched.</summary>
    public IReadOnlyList<PersonalDataProblem> Remaining { get; init; } = [];

    /// <summary>The events that have personal data of the person in plain; a redaction removes it.</summary>
    public IReadOnlyList<PlainPersonalData> PlainEvents { get; init; } = [];

    /// <summary>
    /// Why nothing was searched for the person's values: only the master key tells them, while the person's key is there. It alone also tells the
    /// person's other name, a pseudonym or its identifier: a key under it stays until the person is forgotten with the master key. Null: it was
    /// searched.
    /// </summary>
    public string? NotSearched { get; init; }

    /// <summary>Whether an earlier call had already forgotten the person.</summary>
    public bool WasForgotten => Position is null;

    /// <summary>The result as sentences. They name the person, and no other value.</summary>
    public override string ToString() => $"{Subject} {(WasForgotten ? "was forgotten before" : "is forgotten")}."
        + (NotSearched is null ? "" : $" {NotSearched}")
        + (Blanked.Count == 0 ? "" : $" Values were removed from {string.Join(", ", Blanked)}.")
        + (Remaining.Count == 0 ? "" : $" Values may remain in {string.Join(", ", Remaining.Select(static each => each.Path))}.")
        + (PlainEvents.Count == 0 ? "" : " Redact what is in plain in the events "
            + $"{string.Join(", ", PlainEvents.Select(static each => each.Position))}.");
}
