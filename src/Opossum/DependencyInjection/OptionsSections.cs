using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Opossum.DependencyInjection;

/// <summary>The keys that a store's section of the configuration can contain: the names of the options.</summary>
internal static class OptionsSections
{
    private const string Projections = nameof(OpossumStoresOptions.Projections);
    private const string Reactions = nameof(OpossumStoresOptions.Reactions);
    private const string PersonalData = nameof(PersonalData);

    public static void AddStore(IServiceCollection services, string name, IConfiguration section)
    {
        new OptionsSection<OpossumOptions>(name, section, static (reader, options) =>
        {
            reader.Text(nameof(options.Path), "the store's folder", path => options.Path = path);
            Read(reader, options);
            reader.Ignore(Projections);
            reader.Ignore(Reactions);
        }).AddTo(services);
        new OptionsSection<ProjectionOptions>(name, section.GetSection(Projections), Read).AddTo(services);
        new OptionsSection<ReactionOptions>(name, section.GetSection(Reactions), Read).AddTo(services);
        // Also where the app has no projection or reaction.
        services.AddOptions<ProjectionOptions>(name).ValidateOnStart();
        services.AddOptions<ReactionOptions>(name).ValidateOnStart();
    }

    /// <summary>Adds the options in the section of stores on demand: their own, and all of a store except its path.</summary>
    public static void AddStores(IServiceCollection services, IConfiguration section) =>
        new OptionsSection<OpossumStoresOptions>(Options.DefaultName, section, static (reader, options) =>
        {
            reader.Text(nameof(options.Root), "the folder of all stores", root => options.Root = root);
            reader.Number(nameof(options.MaxOpen), "stores, such as 100", stores => options.MaxOpen = (int)stores);
            reader.Time(nameof(options.IdleTimeout), "00:05:00", timeout => options.IdleTimeout = timeout);
            reader.Time(nameof(options.WaitTimeout), "00:00:15", timeout => options.WaitTimeout = timeout);
            Read(reader, options.Store);
            reader.Section(Projections, projections => Read(projections, options.Projections));
            reader.Section(Reactions, reactions => Read(reactions, options.Reactions));
        }).AddTo(services);

    private static void Read(SectionReader reader, OpossumOptions options)
    {
        reader.Flag(nameof(options.CreateIfMissing), create => options.CreateIfMissing = create);
        reader.Flag(nameof(options.ReadOnly), readOnly => options.ReadOnly = readOnly);
        reader.Flag(nameof(options.FlushEventsImmediately), flush => options.FlushEventsImmediately = flush);
        reader.Flag(nameof(options.UseJournal), useJournal => options.UseJournal = useJournal);
        reader.Flag(nameof(options.EnrichMetadata), enrich => options.EnrichMetadata = enrich);
        reader.Flag(nameof(options.KeepConditions), keep => options.KeepConditions = keep);
        reader.Number(nameof(options.SealAllButNewestFolders), "folders, such as 10",
            folders => options.SealAllButNewestFolders = (int)folders);
        reader.Sections(nameof(options.TagRules), rule => Read(rule, options.TagRules));
        reader.Time(nameof(options.LockTimeout), "00:01:00", timeout => options.LockTimeout = timeout);
        reader.Section(PersonalData, personal => Read(personal, options.PersonalData));
        reader.Section(nameof(options.Advanced), advanced => Read(advanced, options.Advanced));
    }

    private static void Read(SectionReader reader, IList<TagRule> rules)
    {
        var (type, member, key) = ("", "", "");
        reader.Text(nameof(TagRule.EventType), "the stable name of an event type", text => type = text);
        reader.Text(nameof(TagRule.Member), "the path of a member of its events", text => member = text);
        reader.Text(nameof(TagRule.Key), "the key of the tags", text => key = text);
        reader.Make(() => rules.Add(new TagRule(type, member, key)));
    }

    private static void Read(SectionReader reader, OpossumAdvancedOptions options)
    {
        reader.Number(nameof(options.MaxPayloadBytes), "bytes, such as 10485760", bytes => options.MaxPayloadBytes = (int)bytes);
        reader.Number(nameof(options.IndexCacheBytes), "bytes, such as 33554432", bytes => options.IndexCacheBytes = bytes,
            most: long.MaxValue);
        reader.Time(nameof(options.RecoveryPatience), "00:00:05", patience => options.RecoveryPatience = patience);
        reader.Time(nameof(options.SubscriptionPollInterval), "00:00:00.1", interval => options.SubscriptionPollInterval = interval);
        reader.Flag(nameof(options.ReopenAfterFault), reopen => options.ReopenAfterFault = reopen);
    }

    private static void Read(SectionReader reader, PersonalDataOptions options)
    {
        reader.Text(nameof(options.MasterKeyFile), "the file of the master key", file => options.MasterKeyFile = file);
        reader.Text(nameof(options.KeysFolder), "the folder of the persons' keys", folder => options.KeysFolder = folder);
        reader.Text(nameof(options.LostStoreKey), "the id of a store key that is lost for good", id => options.LostStoreKey = id);
    }

    private static void Read(SectionReader reader, ProjectionOptions options)
    {
        reader.Time(nameof(options.WriteInterval), "00:00:00.2", interval => options.WriteInterval = interval);
        reader.Time(nameof(options.TakeOverInterval), "00:00:01", interval => options.TakeOverInterval = interval);
        reader.Time(nameof(options.PollInterval), "00:00:00.1", interval => options.PollInterval = interval);
        reader.Number(nameof(options.MaxCachedStates), "states, such as 50000", states => options.MaxCachedStates = (int)states);
        reader.Number(nameof(options.MaxRetryAttempts), "retries, such as 5", retries => options.MaxRetryAttempts = (int)retries);
        reader.Time(nameof(options.RetryDelay), "00:00:00.2", pause => options.RetryDelay = pause);
    }

    private static void Read(SectionReader reader, ReactionOptions options)
    {
        reader.Number(nameof(options.MaxConcurrency), "events, such as 16", events => options.MaxConcurrency = (int)events);
        reader.Time(nameof(options.WriteInterval), "00:00:00.2", interval => options.WriteInterval = interval);
        reader.Time(nameof(options.TakeOverInterval), "00:00:01", interval => options.TakeOverInterval = interval);
        reader.Time(nameof(options.PollInterval), "00:00:00.1", interval => options.PollInterval = interval);
        reader.Number(nameof(options.MaxRetryAttempts), "retries, such as 10", retries => options.MaxRetryAttempts = (int)retries);
        reader.Time(nameof(options.RetryDelay), "00:00:00.2", pause => options.RetryDelay = pause);
    }
}
