using System.Globalization;

namespace Opossum;

/// <summary>The ranges of <see cref="OpossumOptions"/>, for stores opened with or without a host.</summary>
internal static class OpossumOptionsValidator
{
    private const int PayloadBytesLimit = 128 * 1024 * 1024;
    private const long IndexCacheBytesMin = 1024 * 1024;
    private const long IndexCacheBytesLimit = 64L * 1024 * 1024 * 1024;
    private static readonly TimeSpan lockTimeoutLimit = TimeSpan.FromDays(1);
    private static readonly TimeSpan recoveryPatienceLimit = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan checkpointIntervalMin = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan checkpointIntervalLimit = TimeSpan.FromDays(365);
    private static readonly TimeSpan subscriptionPollIntervalMin = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan subscriptionPollIntervalLimit = TimeSpan.FromHours(1);

    /// <summary>Throws if an option is not allowed.</summary>
    /// <exception cref="ArgumentException">One or more options are not allowed; the message names each.</exception>
    public static void ThrowIfInvalid(OpossumOptions options, bool pathRequired = true)
    {
        ArgumentNullException.ThrowIfNull(options);
        var failures = Validate(options, pathRequired);
        if (failures.Count > 0)
            throw new ArgumentException(string.Join(' ', failures), nameof(options));
    }

    /// <summary>One sentence for each option that is not allowed.</summary>
    public static List<string> Validate(OpossumOptions options, bool pathRequired = true)
    {
        var failures = new List<string>();
        if (pathRequired)
            CheckPath(options.Path, failures);
        if (options.IndexCacheBytes is < IndexCacheBytesMin or > IndexCacheBytesLimit)
            failures.Add(Say($"OpossumOptions.IndexCacheBytes must lie between 1 MiB and 64 GiB, but is {options.IndexCacheBytes} bytes."));
        if (options.SealAllButNewestFolders is < 1 or > StoreSealing.KeptFoldersMax)
        {
            failures.Add(Say($"OpossumOptions.SealAllButNewestFolders must lie between 1 and {StoreSealing.KeptFoldersMax}, or be null, but is ")
                + Say($"{options.SealAllButNewestFolders}."));
        }
        if (options.UseJournal && !options.FlushEventsImmediately)
        {
            failures.Add("OpossumOptions.UseJournal is true and FlushEventsImmediately is false; the journal is flushed immediately, so set "
                + "FlushEventsImmediately to true, or UseJournal to false.");
        }
        if (options.LockTimeout < TimeSpan.Zero || options.LockTimeout > lockTimeoutLimit)
            failures.Add(Say($"OpossumOptions.LockTimeout must lie between 0 and 1 day, but is {options.LockTimeout:c}."));
        if (options.MaxPayloadBytes is < 1 or > PayloadBytesLimit)
        {
            failures.Add(
                Say($"OpossumOptions.MaxPayloadBytes must lie between 1 and {PayloadBytesLimit} (128 MiB), but is {options.MaxPayloadBytes}."));
        }
        if (options.RecoveryPatience < TimeSpan.Zero || options.RecoveryPatience > recoveryPatienceLimit)
            failures.Add(Say($"OpossumOptions.RecoveryPatience must lie between 0 and 10 minutes, but is {options.RecoveryPatience:c}."));
        if (options.SubscriptionPollInterval < subscriptionPollIntervalMin || options.SubscriptionPollInterval > subscriptionPollIntervalLimit)
        {
            failures.Add(
                Say($"OpossumOptions.SubscriptionPollInterval must lie between 1 ms and 1 hour, but is {options.SubscriptionPollInterval:c}."));
        }
        if (options.Proof?.CheckpointInterval is { } interval && (interval < checkpointIntervalMin || interval > checkpointIntervalLimit))
            failures.Add(Say($"OpossumOptions.Proof.CheckpointInterval must lie between 1 s and 365 days, but is {interval:c}."));
        if (options.PersonalData is null)
            failures.Add("OpossumOptions.PersonalData must not be null; its default has no master key.");
        else if (options.PersonalData is { MasterKey: not null, MasterKeyFile: not null })
            failures.Add("OpossumOptions.PersonalData has both a MasterKey and a MasterKeyFile; set one of them.");
        if (options.EventTypes is null)
            failures.Add("OpossumOptions.EventTypes must not be null; its default is a new registry.");
        if (options.TimeProvider is null)
            failures.Add("OpossumOptions.TimeProvider must not be null; its default is TimeProvider.System.");
        return failures;
    }

    private static void CheckPath(string? path, List<string> failures)
    {
        if (string.IsNullOrWhiteSpace(path))
        {
            failures.Add("OpossumOptions.Path must name the store's folder, but is empty.");
        }
        else if (path.Contains('\0', StringComparison.Ordinal))
        {
            failures.Add("OpossumOptions.Path must not hold the character U+0000, but is "
                + $"{NameRules.Quote(path.Replace("\0", "\\0", StringComparison.Ordinal))}.");
        }
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
