using System.Globalization;

namespace Opossum;

/// <summary>Thrown when another process, or other work of this one, held the store's lock longer than <see cref="OpossumOptions.LockTimeout"/>. Nothing was written.</summary>
public sealed class StoreLockTimeoutException : EventStoreException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="path">The lock file.</param>
    /// <param name="holder">The process that took the lock last, from the text of the lock file.</param>
    /// <param name="timeout">The time waited.</param>
    public StoreLockTimeoutException(string path, string holder, TimeSpan timeout)
        : this(path, holder, timeout, "If that process hangs, end it; that frees the lock.")
    {
    }

    internal StoreLockTimeoutException(string path, string holder, TimeSpan timeout, string advice)
        : base(string.Create(CultureInfo.InvariantCulture,
            $"Nothing was written: the lock {path} was not free within {timeout.TotalSeconds:0.###} s. It was last taken by {holder}. {advice}"))
    {
        Path = path;
        Holder = holder;
        Timeout = timeout;
    }

    /// <summary>The lock file.</summary>
    public string Path { get; }

    /// <summary>The process that took the lock last, its machine and the time.</summary>
    public string Holder { get; }

    /// <summary>The time waited.</summary>
    public TimeSpan Timeout { get; }

    /// <summary>True: the lock may be free later.</summary>
    public override bool IsTransient => true;
}
