using System.Text.Json.Nodes;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>What callers in any process see of a projection, whatever the type of its states.</summary>
internal abstract class ProjectionReader(ProjectionHost host, string name, ProjectionLayout layout, FollowerSignals signals)
    : FollowerReader(host, "projection", name, layout, signals, StateWork.Of(host, name))
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly StatePageReader pages = new(host, layout);

    /// <summary>The projections of a store.</summary>
    /// <param name="host">The environment of those that this process does not run.</param>
    /// <param name="running">Returns the readers of those that it runs.</param>
    public static Opening<ProjectionReader> Open(ProjectionHost host, Func<IEnumerable<ProjectionReader>> running) => new(host, "projection", running,
        cancellationToken => StateWork.Of(host, "of this store").DoAsync(() => List(host, name => HasStates(host, name)), cancellationToken),
        name => Create(host, name, new ProjectionLayout(host.Folder, name), new FollowerSignals { IsElsewhere = true }));

    /// <summary>The same projection with its states as JSON.</summary>
    /// <exception cref="ProjectionException">Its states are elsewhere.</exception>
    public virtual ProjectionReader<JsonNode> AsJson => this as ProjectionReader<JsonNode> ?? OfJson(host, Name, layout, Signals);

    protected ProjectionHost Host => host;

    protected ProjectionLayout Layout => layout;

    public abstract Task<ProjectionStatus> GetStatusAsync(CancellationToken cancellationToken = default);

    /// <exception cref="NotSupportedException">Its states are elsewhere.</exception>
    public virtual Task<StoredStatePage> ReadPageAsync(string keyStart, string? after, int limit, CancellationToken cancellationToken) =>
        Work.DoAsync(() => pages.ReadPage(keyStart, after, limit, cancellationToken), cancellationToken);

    /// <exception cref="NotSupportedException">Its states are elsewhere.</exception>
    public virtual Task<ProjectionEntry<byte[]>?> ReadStoredAsync(string key, CancellationToken cancellationToken) =>
        Work.DoAsync(() => pages.Read(key), cancellationToken);

    protected override async Task CheckAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (request.Kind == RequestKind.Skip
            && !await HasStoppedAtAsync(request.Position, cancellationToken).ConfigureAwait(false))
        {
            throw new InvalidOperationException($"The projection {Name} has not stopped at position {request.Position}; only the event "
                + "at which it has stopped can be skipped.");
        }
    }

    /// <summary>Whether it has stopped at an event, which can be skipped.</summary>
    protected abstract Task<bool> HasStoppedAtAsync(long position, CancellationToken cancellationToken);

    protected override bool StopsHandlers(LeaderRequest request) => true;

    /// <exception cref="ProjectionException">The request was a rebuild, and an event cannot be applied.</exception>
    protected override async Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken)
    {
        if (!await base.IsOpenAsync(request, cancellationToken).ConfigureAwait(false))
            return false;
        if (request.Kind == RequestKind.Rebuild && await Work.DoAsync(
            () => Generations.Look(fileSystem, layout, generations => FindFault(generations, request)), cancellationToken)
            .ConfigureAwait(false) is { } fault)
        {
            throw new ProjectionException(Name, fault);
        }
        return true;
    }

    /// <summary>The positions that a version skips, ascending.</summary>
    protected List<long> SkippedBy(int version) =>
        [.. fileSystem.ListIfThere(layout.Skipped)
            .Select(name => ProjectionLayout.TryParseSkip(name, out var of, out var position) && of == version ? position : (long?)null)
            .OfType<long>().Order()];

    private static ProjectionReader Create(ProjectionHost host, string name, ProjectionLayout layout, FollowerSignals signals) =>
        host.FileSystem.GetKind(layout.RowFile) == EntryKind.Missing ? OfJson(host, name, layout, signals)
            : new DbReader(host, name, version: null, cancellationToken => StateWork.Of(host, name)
                .DoAsync(() => RowFile.Read(host.FileSystem, layout), cancellationToken), layout, signals);

    private static ProjectionReader<JsonNode> OfJson(ProjectionHost host, string name, ProjectionLayout layout, FollowerSignals signals) =>
        new(host, new StoredStates(name), layout, signals);

    private static bool HasStates(ProjectionHost host, string name)
    {
        var layout = new ProjectionLayout(host.Folder, name);
        return Generations.List(host.FileSystem, layout).Exists(static each => each.Kind != GenerationKind.Old)
            || host.FileSystem.GetKind(layout.RowFile) != EntryKind.Missing;
    }

    private ProjectionFault? FindFault(List<Generation> generations, LeaderRequest request) =>
        Generations.Newest(generations, GenerationKind.Rebuild) is { } rebuild
            && GenerationModel.Read(fileSystem, rebuild)?.Requests.Contains(request.Id) == true
            ? FaultFile.Read(fileSystem, rebuild)
            : null;
}
