namespace Opossum;

/// <summary>
/// Thrown when a file of a projection's states is damaged or edited, or its content does not fit the state's type. Events are not affected.
/// </summary>
public sealed class ProjectionDamagedException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="path">The file.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The serializer's error, if any.</param>
    public ProjectionDamagedException(string projection, string path, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Projection = projection;
        Path = path;
    }

    /// <summary>The projection's name.</summary>
    public string Projection { get; }

    /// <summary>The file.</summary>
    public string Path { get; }

    /// <summary>False: the states must be rebuilt first.</summary>
    public override bool IsTransient => false;
}
