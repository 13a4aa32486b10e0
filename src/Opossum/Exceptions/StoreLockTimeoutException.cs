using System.Globalization;

namespace Opossum;

/// <summary>Another process held the store's lock longer than <see cref="OpossumOptions.LockTimeout"/>. Nothing was written.</summary>
public sealed class StoreLockTimeoutException : EventStoreException
{
    /// <summary>Makes the exception from the facts.</summary>
    /// <param name="path">The lock file.</param>
    /// <param name="holder">Who took the lock last, as the lock file's text tells.</param>
    /// <param name="timeout">How long was waited.</param>
    public StoreLockTimeoutException(string path, string holder, TimeSpan timeout)
        : base(string.Create(CultureInfo.InvariantCulture, $"Nothing was written: the lock {path} was not free within {timeout.TotalSeconds:0.###} s. It was last taken by {holder}. If that process hangs, end it; the lock is freed with it."))
    {
        Path = path;
        Holder = holder;
        Timeout = timeout;
    }

    /// <summary>The lock file.</summary>
    public string Path { get; }

    /// <summary>Who took the lock last: process, machine and since when.</summary>
    public string Holder { get; }

    /// <summary>How long was waited.</summary>
    public TimeSpan Timeout { get; }

    /// <summary>True: the lock may be free later.</summary>
    public override bool IsTransient => true;
}
