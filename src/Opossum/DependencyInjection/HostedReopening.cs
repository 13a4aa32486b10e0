namespace Opossum.DependencyInjection;

/// <summary>How the opening again of a faulted store goes, for the health check.</summary>
/// <param name="Count">How often the store was opened again.</param>
/// <param name="LastFault">What the last fault was; null: there was none.</param>
/// <param name="Attempts">How often it was tried since then, without success.</param>
/// <param name="Problem">Why the last try failed; null: none has.</param>
/// <param name="IsGivenUp">Whether it is not tried any more.</param>
internal sealed record HostedReopening(int Count = 0, string? LastFault = null, int Attempts = 0, string? Problem = null, bool IsGivenUp = false);
