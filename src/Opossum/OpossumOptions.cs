using Microsoft.Extensions.Logging;

namespace Opossum;

/// <summary>How a store is opened.</summary>
public sealed class OpossumOptions
{
    /// <summary>The store's folder; it becomes one when it is empty or not there, unless <see cref="CreateIfMissing"/> is false. Required, except for a store in memory (the package Opossum.Testing).</summary>
    public string Path { get; set; } = "";

    /// <summary>Whether a folder that is empty or not there becomes a store. Default: true. With false such a path is an error.</summary>
    public bool CreateIfMissing { get; set; } = true;

    /// <summary>
    /// Whether the store is opened for reading only, as on read-only media or by a tool that must change nothing. Default: false. With true
    /// nothing is created, written, locked or repaired, and appends throw a <see cref="NotSupportedException"/>. What the index lacks is read
    /// from the event files and kept in memory, at each opening; what other processes append meanwhile is seen. The states of projections are
    /// read as other processes keep them. The options that are about writing have no effect.
    /// </summary>
    public bool ReadOnly { get; set; }

    /// <summary>
    /// Whether an append returns only when its events are flushed to the disk, so that they survive a power cut. Default: true. With
    /// false they are flushed in the background and when the store is disposed: for tests and imports only. Not allowed on network file systems.
    /// </summary>
    public bool FlushEventsImmediately { get; set; } = true;

    /// <summary>How long an append waits for the store's lock while other processes hold it. Default: 60 s. From 0 to 1 day.</summary>
    public TimeSpan LockTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>The largest payload of one event, in bytes of its compact JSON. Default: 10 MiB. From 1 byte to 128 MiB.</summary>
    public int MaxPayloadBytes { get; set; } = 10 * 1024 * 1024;

    /// <summary>
    /// On a network file system, how long recovery lets an incomplete append of another machine complete before it is set aside.
    /// Default: 5 s. From 0 to 10 minutes. On other file systems the lock makes the wait needless.
    /// </summary>
    public TimeSpan RecoveryPatience { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How often a store looks for events that other processes have appended, while a subscription waits for them. Default: 100 ms. From
    /// 1 ms to 1 hour. Events of this process do not wait for it.
    /// </summary>
    public TimeSpan SubscriptionPollInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Whether a host (<c>AddOpossum</c>) opens the store again by itself when it takes no appends any more, as after a failed flush: up to 10
    /// times, after pauses of 1 s that double up to 1 minute. Default: true. Has no effect on a store that is opened without a host.
    /// </summary>
    public bool ReopenAfterFault { get; set; } = true;

    /// <summary>The event types whose events are written from and read as CLR objects. Default: a registry of this store's own. Several stores may share one.</summary>
    public EventTypeRegistry EventTypes { get; set; } = new();

    /// <summary>The clock for the events' timestamps. Default: the system's.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Where the store logs to. Default: nowhere; <c>AddOpossum</c> takes the host's.</summary>
    public ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>Hears how far the index has been rebuilt from the event files, when that has to be done. Default: null. If it throws, it is not called again.</summary>
    public IProgress<StoreProgress>? RebuildProgress { get; set; }
}
