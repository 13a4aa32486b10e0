namespace Opossum;

/// <summary>The store's files contradict each other in a way that a crash does not explain. Nothing was changed.</summary>
public sealed class StoreDamagedException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The file that is missing or wrong.</param>
    /// <param name="position">The position it stands for.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">What the operating system said, if it did.</param>
    public StoreDamagedException(string path, long position, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Path = path;
        Position = position;
    }

    /// <summary>The file that is missing or wrong.</summary>
    public string Path { get; }

    /// <summary>The position it stands for.</summary>
    public long Position { get; }

    /// <summary>False: the store has to be repaired first, as <see cref="StoreCheck"/> says.</summary>
    public override bool IsTransient => false;
}
