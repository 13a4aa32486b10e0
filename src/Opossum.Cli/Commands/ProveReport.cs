namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum prove</c>.</summary>
/// <param name="File">The file that holds it; null when none was written.</param>
internal sealed record ProveReport(long Position, string Proof, string? File);
