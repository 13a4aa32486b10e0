namespace Opossum;

/// <summary>A projection has stopped at an event that it cannot apply, so what was waited for does not come.</summary>
public sealed class ProjectionFaultedException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="fault">The event it has stopped at.</param>
    public ProjectionFaultedException(string projection, ProjectionFault fault)
        : base(Describe(projection, fault))
    {
        Projection = projection;
        Fault = fault;
    }

    /// <summary>The projection's name.</summary>
    public string Projection { get; }

    /// <summary>The event it has stopped at, and what went wrong.</summary>
    public ProjectionFault Fault { get; }

    /// <summary>False: somebody has to let it try again, skip the event, or mend the projection.</summary>
    public override bool IsTransient => false;

    private static string Describe(string projection, ProjectionFault fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        return $"The projection {projection} has stopped at position {fault.Position}, at an event of type {NameRules.Quote(fault.EventType)}: {fault.Error} Mend the cause and call RetryAsync, or skip the event with SkipAsync.";
    }
}
