namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum reactions list</c>.</summary>
internal sealed record ReactionsReport(IReadOnlyList<ReactionReport> Reactions);
