namespace Opossum;

/// <summary>What all errors of a store have in common. A caller's mistake is an <see cref="ArgumentException"/> instead.</summary>
public abstract class EventStoreException : Exception
{
    private protected EventStoreException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>Whether the same call, unchanged, may succeed later.</summary>
    public abstract bool IsTransient { get; }
}
