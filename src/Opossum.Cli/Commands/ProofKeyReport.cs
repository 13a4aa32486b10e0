namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum proof key</c>.</summary>
/// <param name="Key">The file of the private key.</param>
/// <param name="VerifierText">The verifier; null for a dry run.</param>
internal sealed record ProofKeyReport(string Key, string Verifier, string? VerifierText, bool IsDryRun);
