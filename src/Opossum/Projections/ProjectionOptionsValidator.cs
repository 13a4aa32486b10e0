using System.Globalization;

namespace Opossum.Projections;

/// <summary>The ranges of <see cref="ProjectionOptions"/>.</summary>
internal static class ProjectionOptionsValidator
{
    private const int CachedStatesLimit = 10_000_000;
    private const int RetriesLimit = 100;
    private static readonly TimeSpan intervalLimit = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan takeOverLeast = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan pollLeast = TimeSpan.FromMilliseconds(1);

    /// <summary>The longest pause between two attempts of a failing event.</summary>
    public static readonly TimeSpan RetryDelayLimit = TimeSpan.FromSeconds(30);

    /// <summary>Throws if an option is not allowed.</summary>
    /// <exception cref="ArgumentException">One or more options are not allowed; the message names each.</exception>
    public static void ThrowIfInvalid(ProjectionOptions options)
    {
        var failures = Validate(options);
        if (failures.Count > 0)
            throw new ArgumentException(string.Join(' ', failures), nameof(options));
    }

    /// <summary>One sentence for each option that is not allowed.</summary>
    public static List<string> Validate(ProjectionOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var failures = new List<string>();
        Check(nameof(ProjectionOptions.WriteInterval), options.WriteInterval, TimeSpan.Zero, intervalLimit);
        Check(nameof(ProjectionOptions.TakeOverInterval), options.TakeOverInterval, takeOverLeast, intervalLimit);
        Check(nameof(ProjectionOptions.PollInterval), options.PollInterval, pollLeast, intervalLimit);
        Check(nameof(ProjectionOptions.RetryDelay), options.RetryDelay, TimeSpan.Zero, RetryDelayLimit);
        if (options.MaxCachedStates is < 2 or > CachedStatesLimit)
            failures.Add(Say($"ProjectionOptions.MaxCachedStates must lie between 2 and {CachedStatesLimit}, but is {options.MaxCachedStates}."));
        if (options.MaxRetryAttempts is < 0 or > RetriesLimit)
            failures.Add(Say($"ProjectionOptions.MaxRetryAttempts must lie between 0 and {RetriesLimit}, but is {options.MaxRetryAttempts}."));
        return failures;

        void Check(string name, TimeSpan value, TimeSpan least, TimeSpan most)
        {
            if (value < least || value > most)
                failures.Add(Say($"ProjectionOptions.{name} must lie between {least:c} and {most:c}, but is {value:c}."));
        }
    }

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
