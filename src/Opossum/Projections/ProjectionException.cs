using Opossum.Following;

namespace Opossum;

/// <summary>
/// Thrown when the states of a projection cannot be read: a file of them is damaged or does not fit the state's type, or, for a caller that waits,
/// the projection has stopped at an event that it cannot apply. Events are not affected.
/// </summary>
public sealed class ProjectionException : EventStoreException
{
    /// <summary>Creates the exception for a file that cannot be read.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="path">The file.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The serializer's error, if any.</param>
    public ProjectionException(string projection, string path, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Projection = projection;
        Path = path;
    }

    /// <summary>Creates the exception for a projection that has stopped.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="fault">The event at which it stopped.</param>
    public ProjectionException(string projection, ProjectionFault fault)
        : base(Describe(projection, fault))
    {
        Projection = projection;
        Fault = fault;
    }

    internal ProjectionException(string projection, DamagedFileException e)
        : this(projection, e.Path, $"{e.Path} {e.Problem}. Rebuild the states of {projection} (RebuildAsync, opossum projections rebuild); the "
            + "events are not affected.", e)
    {
    }

    /// <summary>The projection's name.</summary>
    public string Projection { get; }

    /// <summary>The event at which it stopped, and what went wrong; null when a file cannot be read.</summary>
    public ProjectionFault? Fault { get; }

    /// <summary>The file that cannot be read; null when the projection has stopped at an event.</summary>
    public string? Path { get; }

    /// <summary>
    /// False: the states must be rebuilt first; or the event retried or skipped, or the projection fixed.
    /// </summary>
    public override bool IsTransient => false;

    private static string Describe(string projection, ProjectionFault fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        return $"The projection {projection} has stopped at position {fault.Position}, at an event of type {NameRules.Quote(fault.EventType)}: "
            + $"{fault.Error} Fix the cause and call RetryAsync, or skip the event with SkipAsync.";
    }
}
