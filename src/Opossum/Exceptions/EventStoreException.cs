namespace Opossum;

/// <summary>The base class of all errors of a store. A caller's mistake is an <see cref="ArgumentException"/> instead.</summary>
public abstract class EventStoreException : Exception
{
    private protected EventStoreException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>Whether the same call, unchanged, may succeed later.</summary>
    public abstract bool IsTransient { get; }
}
