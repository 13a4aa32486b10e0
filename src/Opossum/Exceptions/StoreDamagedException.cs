using Opossum.Maintenance;

namespace Opossum;

/// <summary>Thrown when the store's files contradict each other in a way that no crash can cause. Nothing was changed.</summary>
public sealed class StoreDamagedException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The file that is missing or wrong.</param>
    /// <param name="position">The position that the file belongs to.</param>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="innerException">The error that the operating system reported, if any.</param>
    public StoreDamagedException(string path, long position, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Path = path;
        Position = position;
    }

    /// <summary>The file that is missing or wrong.</summary>
    public string Path { get; }

    /// <summary>The position that the file belongs to.</summary>
    public long Position { get; }

    /// <summary>False: the store must be repaired first, as described at <see cref="StoreCheck"/>.</summary>
    public override bool IsTransient => false;
}
