namespace Opossum.Cli.Commands;

/// <summary>What was done with a master key.</summary>
/// <param name="Path">The file that was written, or the store.</param>
/// <param name="Id">The id of the master key that holds now; never the key.</param>
/// <param name="IsChanged">Whether something was changed, or would be.</param>
internal sealed record MasterKeyReport(string Path, string Id, bool IsChanged, bool IsDryRun);
