using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>The result of a promotion, as data for programs and as text through <see cref="ToString"/>.</summary>
public sealed record PromotionReport
{
    /// <summary>The folder that is the store now.</summary>
    public required string Replica { get; init; }

    /// <summary>The folder that was the store. Processes that can still reach it must not be left running on it.</summary>
    public required string FormerStore { get; init; }

    /// <summary>The id of the store, which stays.</summary>
    public required Guid StoreId { get; init; }

    /// <summary>The term of the store from now on.</summary>
    public required int Term { get; init; }

    /// <summary>The last position that was followed.</summary>
    public required long Head { get; init; }

    /// <summary>
    /// The last position of the former store: when it was closed, or, if it was not, as far as it is known. It may have appended more since then,
    /// and a power cut may have taken events there that were not yet durable.
    /// </summary>
    public required long FormerHead { get; init; }

    /// <summary>When the former store was last seen; null: it is not known.</summary>
    public required DateTimeOffset? At { get; init; }

    /// <summary>
    /// Whether the former store could be reached from here and was told: nothing is appended to it any more. A dry run does not
    /// try whether it may write there.
    /// </summary>
    public required bool FormerIsClosed { get; init; }

    /// <summary>Why the keys of personal data are missing, and where they go. Null: they are there, or there is no personal data.</summary>
    public string? KeysProblem { get; init; }

    /// <summary>Whether nothing was changed. The report says what would be.</summary>
    public bool IsDryRun { get; init; }

    /// <summary>The report as sentences.</summary>
    public override string ToString() => (IsDryRun ? "Dry run, nothing was changed. " : "") + string.Create(CultureInfo.InvariantCulture,
        $"{Replica} {(IsDryRun ? "would be" : "is")} the store now, in term {Term}, with all events up to position {Head:N0}.{Seen}")
            + (FormerIsClosed
                ? $" Nothing {(IsDryRun ? "would be" : "is")} appended to {FormerStore} any more{(IsDryRun ? ", if it can be written" : "")}."
                : $" {FormerStore} was not reached: end what appends to it.")
            + (KeysProblem is null ? "" : $" {KeysProblem}");

    private string Seen => FormerHead > Head
        ? string.Create(CultureInfo.InvariantCulture, $" The events after it, up to position {FormerHead:N0}, are only in {FormerStore}, ")
            + "unless a power cut has taken them."
            + (FormerIsClosed ? "" : " It may have appended more since.")
        : At is { } at && !FormerIsClosed
        ? string.Create(CultureInfo.InvariantCulture,
            $" {FormerStore} was last seen at {at.UtcDateTime:yyyy-MM-dd HH:mm:ss} UTC: what it appended later is only there.")
        : "";
}
