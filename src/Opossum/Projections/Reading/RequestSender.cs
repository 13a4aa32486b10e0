using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Projections.States;

namespace Opossum.Projections.Reading;

/// <summary>Writes requests to the projection's leader, in whichever process it is.</summary>
internal sealed class RequestSender(ProjectionHost host, string projection, ProjectionLayout layout)
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly FileWork work = StateWork.Of(host, projection);

    /// <summary>Sends the leader a request, and does not wait.</summary>
    /// <exception cref="InvalidOperationException">The request skips an event at which the projection has not stopped.</exception>
    /// <exception cref="NotSupportedException">The store is open for reading only.</exception>
    /// <exception cref="StoreIOException">The request could not be written.</exception>
    public Task<LeaderRequest> WriteAsync(LeaderRequest request, CancellationToken cancellationToken) => host.CanWrite
        ? work.DoAsync(() => Write(request), cancellationToken)
        : throw new NotSupportedException($"The store in {host.StoreRoot} is open for reading only. To rebuild a projection, or to retry or "
            + $"skip an event, open the store with {nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} = false.");

    /// <summary>Whether the leader has not carried out a request yet.</summary>
    /// <exception cref="ProjectionException">The request was a rebuild, and an event cannot be applied.</exception>
    public Task<bool> IsOpenAsync(LeaderRequest request, CancellationToken cancellationToken) =>
        work.DoAsync(() => IsOpen(request), cancellationToken);

    public Task PollAsync(Task done, CancellationToken cancellationToken) => work.PollAsync(done, cancellationToken);

    private LeaderRequest Write(LeaderRequest request)
    {
        if (request.Kind == RequestKind.Skip && !Generations.Look(fileSystem, layout, generations => HasStoppedAt(generations, request.Position)))
        {
            throw new InvalidOperationException($"The projection {projection} has not stopped at position {request.Position}; only the event "
                + "at which it has stopped can be skipped.");
        }

        try
        {
            request.Write(host, layout);
            return request;
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"No request was sent to the projection {projection}. {e.Message} Fix the cause and try again.", e);
        }
    }

    private bool HasStoppedAt(List<Generation> generations, long position) =>
        generations.Exists(each => FaultFile.Read(fileSystem, each)?.Position == position);

    private bool IsOpen(LeaderRequest request)
    {
        if (!LeaderRequest.IsOpen(fileSystem, layout, request.Id))
            return false;
        if (request.Kind == RequestKind.Rebuild && Generations.Look(fileSystem, layout, generations => FindFault(generations, request)) is { } fault)
            throw new ProjectionException(projection, fault);
        return true;
    }

    private ProjectionFault? FindFault(List<Generation> generations, LeaderRequest request) =>
        Generations.Newest(generations, GenerationKind.Rebuild) is { } rebuild
            && GenerationModel.Read(fileSystem, rebuild)?.Requests.Contains(request.Id) == true
            ? FaultFile.Read(fileSystem, rebuild)
            : null;
}
