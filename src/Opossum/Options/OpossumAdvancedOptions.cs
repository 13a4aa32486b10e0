namespace Opossum;

/// <summary>The options of a store that are set rarely: limits, sizes and waits. See <see cref="OpossumOptions.Advanced"/>.</summary>
public sealed class OpossumAdvancedOptions
{
    private const int PayloadBytesLimit = 128 * 1024 * 1024;
    private const long IndexCacheBytesLeast = 1024 * 1024;
    private const long IndexCacheBytesLimit = 64L * 1024 * 1024 * 1024;

    internal OpossumAdvancedOptions()
    {
    }

    /// <summary>
    /// The largest data, and the largest metadata with what an append adds to them, of one event, in bytes of compact JSON. Default: 10 MiB. From 1
    /// byte to 128 MiB.
    /// </summary>
    public int MaxPayloadBytes { get; set; } = 10 * 1024 * 1024;

    /// <summary>
    /// The most memory for the index of older events, in bytes. Default: 32 MiB. From 1 MiB to 64 GiB. The index of the newest events,
    /// usually fewer than 8,192, is always in memory; of the older ones, what was used lately.
    /// </summary>
    public long IndexCacheBytes { get; set; } = 32 * 1024 * 1024;

    /// <summary>
    /// On a network file system, how long recovery waits for another machine to complete an append before it sets the
    /// incomplete append aside. Default: 5 s. From 0 to 10 minutes. On other file systems the lock makes this wait unnecessary.
    /// </summary>
    public TimeSpan RecoveryPatience { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How often the store checks for events of other processes while a subscription waits. Default: 100 ms. From 1 ms to
    /// 1 hour. Events of this process wake subscriptions at once.
    /// </summary>
    public TimeSpan SubscriptionPollInterval { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Receives the progress when the index is rebuilt from the event files. Default: null. If it throws, it is not called again.
    /// </summary>
    public IProgress<StoreProgress>? RebuildProgress { get; set; }

    /// <summary>
    /// Whether a host opens the store again when it accepts no more appends, as after a failed flush: up to 10 attempts, with pauses that start at
    /// 1 s and double up to 1 minute; a store on demand, for its next handle. Default: true. It has no effect without a host.
    /// </summary>
    public bool ReopenAfterFault { get; set; } = true;

    internal OpossumAdvancedOptions Copy() => (OpossumAdvancedOptions)MemberwiseClone();

    internal void Check(OptionsChecks checks)
    {
        checks.Range<int>(MaxPayloadBytes, 1, PayloadBytesLimit, Name(nameof(MaxPayloadBytes)));
        checks.Range<long>(IndexCacheBytes, IndexCacheBytesLeast, IndexCacheBytesLimit, Name(nameof(IndexCacheBytes)));
        checks.Range<TimeSpan>(RecoveryPatience, TimeSpan.Zero, TimeSpan.FromMinutes(10), Name(nameof(RecoveryPatience)));
        checks.Range<TimeSpan>(SubscriptionPollInterval, TimeSpan.FromMilliseconds(1), TimeSpan.FromHours(1),
            Name(nameof(SubscriptionPollInterval)));
    }

    private static string Name(string option) => $"{nameof(OpossumOptions.Advanced)}.{option}";
}
