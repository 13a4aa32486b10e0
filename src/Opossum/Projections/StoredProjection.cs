namespace Opossum;

/// <summary>A projection as its files in the store's folder show it, whichever process runs it, if any.</summary>
public sealed record StoredProjection
{
    /// <summary>The projection's name.</summary>
    public required string Name { get; init; }

    /// <summary>The version of the states that reads return, or of those that are built for the first time.</summary>
    public required int Version { get; init; }

    /// <summary>The position up to which every event is applied to the states that reads return. 0: nothing can be read yet.</summary>
    public required long Position { get; init; }

    /// <summary>The store's last position; the states lag behind it by the difference to <see cref="Position"/>.</summary>
    public required long Head { get; init; }

    /// <summary>The position that a build of new states has reached; null when there is no build.</summary>
    public long? RebuildPosition { get; init; }

    /// <summary>The event at which the projection has stopped; null when it has not.</summary>
    public ProjectionFault? Fault { get; init; }

    /// <summary>The positions of the events that this version skips, ascending.</summary>
    public required IReadOnlyList<long> Skipped { get; init; }

    /// <summary>The number of requests that the leading process has not carried out yet. They stay until a process leads.</summary>
    public required int OpenRequests { get; init; }
}
