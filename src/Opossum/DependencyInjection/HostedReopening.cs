namespace Opossum.DependencyInjection;

/// <summary>The state of reopening a faulted store, for the health check.</summary>
/// <param name="Count">How often the store was opened again.</param>
/// <param name="LastFault">The last fault; null: there was none.</param>
/// <param name="Attempts">The number of failed attempts since then.</param>
/// <param name="Problem">Why the last attempt failed; null: none has.</param>
internal sealed record HostedReopening(int Count = 0, string? LastFault = null, int Attempts = 0, string? Problem = null, bool IsGivenUp = false);
