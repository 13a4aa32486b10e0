namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum verify-proof</c>.</summary>
/// <param name="Signer">The name of the verifier's key.</param>
/// <param name="StoreId">The id of the store; null unless the proof holds.</param>
/// <param name="Position">The number of events that the checkpoint covers; null unless the proof holds.</param>
/// <param name="Time">The time of the checkpoint; null unless the proof holds.</param>
/// <param name="Problem">Why the proof does not hold; null when it does.</param>
internal sealed record VerifyProofReport(bool IsProven, string Signer, Guid? StoreId, long? Position, DateTimeOffset? Time, string? Problem);
