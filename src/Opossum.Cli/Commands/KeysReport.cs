namespace Opossum.Cli.Commands;

/// <summary>What <c>opossum keys replace</c> did, or would do.</summary>
/// <param name="Lost">The id of the store key that was given up.</param>
/// <param name="StoreKey">The id of the new one; null in a dry run.</param>
internal sealed record KeysReport(string Path, string Lost, string? StoreKey, bool IsDryRun);
