namespace Opossum.Cli.Commands;

/// <summary>The report of a request to a projection.</summary>
/// <param name="Projection">The projection's name.</param>
/// <param name="Request">What was requested, in words.</param>
/// <param name="IsDryRun">Whether nothing was sent.</param>
internal sealed record RequestReport(string Projection, string Request, bool IsDryRun);
