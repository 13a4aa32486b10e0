using System.Text.Json.Nodes;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>Reads what the files of a projection show, in a process that need not know the projection.</summary>
internal sealed class StoredProjectionReader
{
    private readonly ProjectionHost host;
    private readonly string name;
    private readonly IFileSystem fileSystem;
    private readonly ProjectionLayout layout;
    private readonly FileWork work;
    private readonly StatePageReader pages;

    public StoredProjectionReader(ProjectionHost host, string name)
    {
        this.host = host;
        this.name = name;
        fileSystem = host.FileSystem;
        layout = new ProjectionLayout(host.Folder, name);
        work = StateWork.Of(host, name);
        pages = new StatePageReader(host, layout);
        Requests = new RequestSender(host, name, layout);
        // Nobody in this process does the projection's work, so nobody signals.
        States = new ProjectionReader<JsonNode>(host, new StoredStates(name), layout, new ProjectionSignals());
    }

    public RequestSender Requests { get; }

    public ProjectionReader<JsonNode> States { get; }

    /// <summary>The names of the projections that have states, or states that are being built.</summary>
    public static IReadOnlyList<string> List(ProjectionHost host)
    {
        var fileSystem = host.FileSystem;
        if (fileSystem.GetKind(host.Folder) != EntryKind.Folder)
            return [];
        fileSystem.ThrowIfLink(host.Folder);
        return [.. fileSystem.List(host.Folder).Where(name => HasStates(fileSystem, new ProjectionLayout(host.Folder, name)))
            .Order(StringComparer.Ordinal)];
    }

    public async Task<StoredProjection> ReadAsync(CancellationToken cancellationToken)
    {
        var head = await host.Store.GetHeadAsync(cancellationToken).ConfigureAwait(false);
        var (projection, progress) = await work.DoAsync(() => Generations.Look(fileSystem, layout, Read), cancellationToken).ConfigureAwait(false);
        // States that are built on other events, as after a truncation, will be rebuilt and count for nothing.
        var position = progress is not null && await progress.FitsAsync(host.Store, cancellationToken).ConfigureAwait(false)
            ? progress.Checkpoint.Last.Position
            : 0;
        return projection with { Position = position, Head = Math.Max(head, position) };
    }

    public Task<StoredStatePage> ReadPageAsync(string keyStart, string? after, int limit, CancellationToken cancellationToken) =>
        work.DoAsync(() => pages.ReadPage(keyStart, after, limit, cancellationToken), cancellationToken);

    public Task<StoredProjectionState?> ReadStoredAsync(string key, CancellationToken cancellationToken) =>
        work.DoAsync(() => pages.Read(key), cancellationToken);

    private static bool HasStates(IFileSystem fileSystem, ProjectionLayout layout) =>
        Generations.List(fileSystem, layout).Exists(static each => each.Kind != GenerationKind.Old);

    private (StoredProjection, Progress?) Read(List<Generation> generations)
    {
        var live = Generations.Newest(generations, GenerationKind.Live);
        var rebuild = Generations.Newest(generations, GenerationKind.Rebuild);
        var version = (live ?? rebuild) is { } read ? GenerationModel.Read(fileSystem, read)?.Version ?? 0 : 0;
        var projection = new StoredProjection
        {
            Name = name,
            Version = version,
            Position = 0,
            Head = 0,
            RebuildPosition = rebuild is null ? null : Progress.Read(fileSystem, rebuild)?.Checkpoint.Last.Position ?? 0,
            Fault = (live is null ? null : FaultFile.Read(fileSystem, live)) ?? (rebuild is null ? null : FaultFile.Read(fileSystem, rebuild)),
            Skipped = SkippedBy(version),
            OpenRequests = LeaderRequest.List(fileSystem, layout).Count,
        };
        return (projection, live is null ? null : Progress.Read(fileSystem, live));
    }

    private List<long> SkippedBy(int version)
    {
        var positions = new List<long>();
        if (fileSystem.GetKind(layout.Skipped) != EntryKind.Folder)
            return positions;
        foreach (var file in fileSystem.List(layout.Skipped))
        {
            if (ProjectionLayout.TryParseSkip(file, out var of, out var position) && of == version)
                positions.Add(position);
        }
        positions.Sort();
        return positions;
    }
}
