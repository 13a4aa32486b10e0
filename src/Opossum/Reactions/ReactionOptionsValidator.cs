using System.Globalization;

namespace Opossum.Reactions;

/// <summary>The ranges of <see cref="ReactionOptions"/>.</summary>
internal static class ReactionOptionsValidator
{
    private const int ConcurrencyLimit = 1_000;
    private const int RetriesLimit = 1_000_000;
    private static readonly TimeSpan intervalLimit = TimeSpan.FromMinutes(1);

    /// <summary>The longest pause between two attempts of a failing event.</summary>
    public static readonly TimeSpan RetryDelayLimit = TimeSpan.FromSeconds(30);

    /// <summary>Throws if an option is not allowed.</summary>
    /// <exception cref="ArgumentException">One or more options are not allowed; the message names each.</exception>
    public static void ThrowIfInvalid(ReactionOptions options)
    {
        var failures = Validate(options);
        if (failures.Count > 0)
            throw new ArgumentException(string.Join(' ', failures), nameof(options));
    }

    /// <summary>One sentence for each option that is not allowed.</summary>
    public static List<string> Validate(ReactionOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var failures = new List<string>();
        if (options.MaxConcurrency is < 1 or > ConcurrencyLimit)
            failures.Add(Say($"ReactionOptions.MaxConcurrency must lie between 1 and {ConcurrencyLimit}, but is {options.MaxConcurrency}."));
        if (options.MaxRetryAttempts is < 0 or > RetriesLimit)
            failures.Add(Say($"ReactionOptions.MaxRetryAttempts must lie between 0 and {RetriesLimit}, but is {options.MaxRetryAttempts}."));
        Check(nameof(ReactionOptions.WriteInterval), options.WriteInterval, TimeSpan.Zero, intervalLimit);
        Check(nameof(ReactionOptions.TakeOverInterval), options.TakeOverInterval, TimeSpan.FromMilliseconds(10), intervalLimit);
        Check(nameof(ReactionOptions.PollInterval), options.PollInterval, TimeSpan.FromMilliseconds(1), intervalLimit);
        Check(nameof(ReactionOptions.RetryDelay), options.RetryDelay, TimeSpan.Zero, RetryDelayLimit);
        return failures;

        void Check(string name, TimeSpan value, TimeSpan least, TimeSpan most)
        {
            if (value < least || value > most)
                failures.Add(Say($"ReactionOptions.{name} must lie between {least:c} and {most:c}, but is {value:c}."));
        }
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
