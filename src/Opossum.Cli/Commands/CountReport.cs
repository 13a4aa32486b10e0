namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum read --count</c>.</summary>
internal sealed record CountReport(long Count);
