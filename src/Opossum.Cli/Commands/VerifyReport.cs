using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum verify</c>.</summary>
/// <param name="IsIntact">Whether every event is the one that the checkpoints cover.</param>
/// <param name="Position">The last event that the checkpoints cover.</param>
/// <param name="Time">The time of the checkpoint that covers it.</param>
/// <param name="Difference">The first difference; null when there is none.</param>
/// <param name="RedactedCount">The number of redacted events: their leaves are kept, and nothing proves what is left of them.</param>
/// <param name="Redacted">The first of them, with who redacted what and why.</param>
internal sealed record VerifyReport(bool IsIntact, long IntactUpTo, long Position, DateTimeOffset Time, ProofDifference? Difference,
    long RedactedCount, IReadOnlyList<ProofRedaction> Redacted);
