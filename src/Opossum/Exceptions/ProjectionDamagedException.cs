namespace Opossum;

/// <summary>A file of a projection's states cannot be read: it is damaged or edited, or its content does not fit the state's type. Events are not affected.</summary>
public sealed class ProjectionDamagedException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="projection">The projection's name.</param>
    /// <param name="path">The file.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the serializer said, if it did.</param>
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

    /// <summary>False: the states have to be built again first.</summary>
    public override bool IsTransient => false;
}
