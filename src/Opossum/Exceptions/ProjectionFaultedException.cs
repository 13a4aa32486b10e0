namespace Opossum;

/// <summary>Thrown to a caller that waits for a projection when the projection has stopped at an event that it cannot apply.</summary>
public sealed class ProjectionFaultedException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="fault">The event at which it stopped.</param>
    public ProjectionFaultedException(string projection, ProjectionFault fault)
        : base(Describe(projection, fault))
    {
        Projection = projection;
        Fault = fault;
    }

    /// <summary>The projection's name.</summary>
    public string Projection { get; }

    /// <summary>The event at which it stopped, and what went wrong.</summary>
    public ProjectionFault Fault { get; }

    /// <summary>False: the event must be retried or skipped, or the projection fixed, first.</summary>
    public override bool IsTransient => false;

    private static string Describe(string projection, ProjectionFault fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        return $"The projection {projection} has stopped at position {fault.Position}, at an event of type {NameRules.Quote(fault.EventType)}: "
            + $"{fault.Error} Fix the cause and call RetryAsync, or skip the event with SkipAsync.";
    }
}
