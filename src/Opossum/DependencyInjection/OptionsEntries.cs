namespace Opossum.DependencyInjection;

/// <summary>The keys that a store's section of the configuration can contain.</summary>
internal static class OptionsEntries
{
    /// <summary>The section inside a store's section that sets <see cref="ProjectionOptions"/>.</summary>
    public const string Projections = "Projections";

    /// <summary>The section inside a store's section that sets <see cref="ReactionOptions"/>.</summary>
    public const string Reactions = "Reactions";

    /// <summary>The section inside a store's section that sets <see cref="OpossumOptions.PersonalData"/>.</summary>
    public const string PersonalData = nameof(OpossumOptions.PersonalData);

    public static IReadOnlyList<OptionsEntry<OpossumOptions>> OfPersonalData { get; } =
    [
        OptionsEntry<OpossumOptions>.Text(nameof(PersonalDataOptions.MasterKeyFile), "a text, the file of the master key",
            (options, file) => options.PersonalData.MasterKeyFile = file),
        OptionsEntry<OpossumOptions>.Text(nameof(PersonalDataOptions.KeysFolder), "a text, the folder of the persons' keys",
            (options, folder) => options.PersonalData.KeysFolder = folder),
        OptionsEntry<OpossumOptions>.Text(nameof(PersonalDataOptions.LostStoreKey), "a text, the id of a store key that is lost for good",
            (options, id) => options.PersonalData.LostStoreKey = id),
    ];

    public static IReadOnlyList<OptionsEntry<OpossumOptions>> OfStore { get; } =
    [
        OptionsEntry<OpossumOptions>.Text(nameof(OpossumOptions.Path), "a text, the store's folder", (options, path) => options.Path = path),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.CreateIfMissing), (options, create) => options.CreateIfMissing = create),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.ReadOnly), (options, readOnly) => options.ReadOnly = readOnly),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.FlushEventsImmediately), (options, flush) => options.FlushEventsImmediately = flush),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.UseJournal), (options, useJournal) => options.UseJournal = useJournal),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.EnrichMetadata), (options, enrich) => options.EnrichMetadata = enrich),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.KeepConditions), (options, keep) => options.KeepConditions = keep),
        OptionsEntry<OpossumOptions>.Flag(nameof(OpossumOptions.ReopenAfterFault), (options, reopen) => options.ReopenAfterFault = reopen),
        OptionsEntry<OpossumOptions>.LongNumber(nameof(OpossumOptions.IndexCacheBytes), "a whole number of bytes, such as 33554432",
            (options, bytes) => options.IndexCacheBytes = bytes),
        OptionsEntry<OpossumOptions>.Number(nameof(OpossumOptions.SealAllButNewestFolders), "a whole number of folders, such as 10",
            (options, folders) => options.SealAllButNewestFolders = folders),
        OptionsEntry<OpossumOptions>.Time(nameof(OpossumOptions.LockTimeout), "00:01:00", (options, timeout) => options.LockTimeout = timeout),
        OptionsEntry<OpossumOptions>.Number(nameof(OpossumOptions.MaxPayloadBytes), "a whole number of bytes, such as 10485760",
            (options, bytes) => options.MaxPayloadBytes = bytes),
        OptionsEntry<OpossumOptions>.Time(nameof(OpossumOptions.RecoveryPatience), "00:00:05",
            (options, patience) => options.RecoveryPatience = patience),
        OptionsEntry<OpossumOptions>.Time(nameof(OpossumOptions.SubscriptionPollInterval), "00:00:00.1",
            (options, interval) => options.SubscriptionPollInterval = interval),
    ];

    /// <summary>Those of stores on demand: their own, and all of a store except its path.</summary>
    public static IReadOnlyList<OptionsEntry<OpossumStoresOptions>> OfStores { get; } =
    [
        OptionsEntry<OpossumStoresOptions>.Text(nameof(OpossumStoresOptions.Root), "a text, the folder of all stores",
            (options, root) => options.Root = root),
        OptionsEntry<OpossumStoresOptions>.Number(nameof(OpossumStoresOptions.MaxOpen), "a whole number of stores, such as 100",
            (options, stores) => options.MaxOpen = stores),
        OptionsEntry<OpossumStoresOptions>.Time(nameof(OpossumStoresOptions.IdleTimeout), "00:05:00",
            (options, timeout) => options.IdleTimeout = timeout),
        OptionsEntry<OpossumStoresOptions>.Time(nameof(OpossumStoresOptions.WaitTimeout), "00:00:15",
            (options, timeout) => options.WaitTimeout = timeout),
        .. OfStore.Where(static entry => entry.Key != nameof(OpossumOptions.Path)).Select(static entry =>
            new OptionsEntry<OpossumStoresOptions>(entry.Key, entry.Expected, (options, text) => entry.TrySet(options.Store, text))),
    ];

    public static IReadOnlyList<OptionsEntry<ProjectionOptions>> OfProjections { get; } =
    [
        OptionsEntry<ProjectionOptions>.Time(nameof(ProjectionOptions.WriteInterval), "00:00:00.2",
            (options, interval) => options.WriteInterval = interval),
        OptionsEntry<ProjectionOptions>.Time(nameof(ProjectionOptions.TakeOverInterval), "00:00:01",
            (options, interval) => options.TakeOverInterval = interval),
        OptionsEntry<ProjectionOptions>.Time(nameof(ProjectionOptions.PollInterval), "00:00:00.1",
            (options, interval) => options.PollInterval = interval),
        OptionsEntry<ProjectionOptions>.Number(nameof(ProjectionOptions.MaxCachedStates), "a whole number of states, such as 50000",
            (options, states) => options.MaxCachedStates = states),
        OptionsEntry<ProjectionOptions>.Number(nameof(ProjectionOptions.MaxRetryAttempts), "a whole number of retries, such as 5",
            (options, retries) => options.MaxRetryAttempts = retries),
        OptionsEntry<ProjectionOptions>.Time(nameof(ProjectionOptions.RetryDelay), "00:00:00.2", (options, pause) => options.RetryDelay = pause),
    ];

    public static IReadOnlyList<OptionsEntry<ReactionOptions>> OfReactions { get; } =
    [
        OptionsEntry<ReactionOptions>.Number(nameof(ReactionOptions.MaxConcurrency), "a whole number of events, such as 16",
            (options, events) => options.MaxConcurrency = events),
        OptionsEntry<ReactionOptions>.Time(nameof(ReactionOptions.WriteInterval), "00:00:00.2",
            (options, interval) => options.WriteInterval = interval),
        OptionsEntry<ReactionOptions>.Time(nameof(ReactionOptions.TakeOverInterval), "00:00:01",
            (options, interval) => options.TakeOverInterval = interval),
        OptionsEntry<ReactionOptions>.Time(nameof(ReactionOptions.PollInterval), "00:00:00.1",
            (options, interval) => options.PollInterval = interval),
        OptionsEntry<ReactionOptions>.Number(nameof(ReactionOptions.MaxRetryAttempts), "a whole number of retries, such as 10",
            (options, retries) => options.MaxRetryAttempts = retries),
        OptionsEntry<ReactionOptions>.Time(nameof(ReactionOptions.RetryDelay), "00:00:00.2", (options, pause) => options.RetryDelay = pause),
    ];

    /// <summary>Those of the personal data of stores on demand.</summary>
    public static IReadOnlyList<OptionsEntry<OpossumStoresOptions>> OfStoresPersonalData { get; } =
    [
        .. OfPersonalData.Select(static entry =>
            new OptionsEntry<OpossumStoresOptions>(entry.Key, entry.Expected, (options, text) => entry.TrySet(options.Store, text))),
    ];

    /// <summary>Those of the projections of stores on demand.</summary>
    public static IReadOnlyList<OptionsEntry<OpossumStoresOptions>> OfStoresProjections { get; } =
    [
        .. OfProjections.Select(static entry =>
            new OptionsEntry<OpossumStoresOptions>(entry.Key, entry.Expected, (options, text) => entry.TrySet(options.Projections, text))),
    ];

    /// <summary>Those of the reactions of stores on demand.</summary>
    public static IReadOnlyList<OptionsEntry<OpossumStoresOptions>> OfStoresReactions { get; } =
    [
        .. OfReactions.Select(static entry =>
            new OptionsEntry<OpossumStoresOptions>(entry.Key, entry.Expected, (options, text) => entry.TrySet(options.Reactions, text))),
    ];
}
