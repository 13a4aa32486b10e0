using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>What <c>opossum forget</c> did, or would do.</summary>
/// <param name="Forgotten">When the key was removed; null for a dry run that would remove it.</param>
/// <param name="Position">The position of the event that says so; null when it is not appended now.</param>
internal sealed record ForgetReport(string Subject, PersonKeyState Before, DateTimeOffset? Forgotten, long? Position, bool IsDryRun)
{
    /// <summary>The files from which the person's values were taken out.</summary>
    public IReadOnlyList<string> Blanked { get; init; } = [];

    /// <summary>The places that have the person's values in plain.</summary>
    public IReadOnlyList<string> Remaining { get; init; } = [];

    /// <summary>The events that have personal members of the person in plain.</summary>
    public IReadOnlyList<PlainPersonalData> PlainEvents { get; init; } = [];

    /// <summary>Why it was not searched for the person's values; null: it was.</summary>
    public string? NotSearched { get; init; }
}
