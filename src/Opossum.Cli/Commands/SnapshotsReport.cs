using Opossum.Maintenance;

namespace Opossum.Cli.Commands;

/// <summary>The snapshots in a folder, oldest first.</summary>
internal sealed record SnapshotsReport(IReadOnlyList<Snapshot> Snapshots);
