namespace Opossum.Cli.Commands;

/// <summary>The report of a request to a reaction.</summary>
/// <param name="Reaction">The reaction's name.</param>
/// <param name="Request">What was requested, in words.</param>
/// <param name="IsDryRun">Whether nothing was sent.</param>
internal sealed record ReactionRequestReport(string Reaction, string Request, bool IsDryRun);
