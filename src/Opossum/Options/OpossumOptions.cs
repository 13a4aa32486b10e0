using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Opossum.Maintenance;

namespace Opossum;

/// <summary>The options with which a store is opened.</summary>
public sealed class OpossumOptions
{
    /// <summary>The most folders that can be kept: as many as a store can have.</summary>
    internal const int KeptFoldersMax = 214_748;

    // The options of features, by their types.
    private ConcurrentDictionary<Type, IFeatureOptions> features = [];

    /// <summary>
    /// The store's folder. Opening creates the store if the folder is missing or empty, unless <see cref="CreateIfMissing"/> is false.
    /// Required, except
    /// for a store in memory (the package Opossum.Testing).
    /// </summary>
    public string Path { get; set; } = "";

    /// <summary>
    /// Whether opening creates the store if the folder is missing or empty. Default: true. With false, opening such a folder is an error.
    /// </summary>
    public bool CreateIfMissing { get; set; } = true;

    /// <summary>
    /// Whether the store is opened for reading only, as on read-only media or by a tool that must change nothing. Default: false. With true
    /// the store creates, writes, locks and repairs nothing, and appends throw a <see cref="NotSupportedException"/>. At each opening the store reads
    /// the events that are missing from the index from their files and keeps them in memory. Reads see what other processes append. The states of
    /// projections are those that other processes keep up to date. Options for writing have no effect, except <see cref="LockTimeout"/>: so long an
    /// opening waits while another process holds the lock and it is not certain that the last events are stored; then it throws a
    /// <see cref="StoreOpenException"/> that is transient.
    /// </summary>
    public bool ReadOnly { get; set; }

    /// <summary>
    /// Whether an append returns only after its events are flushed to the disk, so that they survive a power cut. Default: true. With false the
    /// store flushes in the background and when it is disposed: for tests and imports only. False is not allowed on network file systems.
    /// </summary>
    public bool FlushEventsImmediately { get; set; } = true;

    /// <summary>
    /// Whether an append returns when the lines of its events are flushed, and their event files follow within a second. Default: false.
    /// Appends are then several times faster and survive a power cut as before. The newest events may still be only lines in <c>Log/</c>; readers,
    /// subscriptions and other processes see them at once. The files of an append of more than 16 MiB of JSON are written before it returns. Not
    /// allowed on network file systems, and only with <see cref="FlushEventsImmediately"/> = true. Processes with and without it may use one store at the same time: docs/durability.md.
    /// </summary>
    public bool UseJournal { get; set; }

    /// <summary>
    /// The number of newest folders of event files that stay as they are, while the store seals the older ones in the background: each then becomes
    /// one text file with a line for each event, see <see cref="StoreSealing"/>. Default: null, which seals none. From 1 to 214,748; a folder has 10,000
    /// positions.
    /// </summary>
    public int? SealAllButNewestFolders { get; set; }

    /// <summary>How long an append waits for the store's lock while other processes hold it. Default: 60 s. From 0 to 1 day.</summary>
    public TimeSpan LockTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether an append adds its context to the metadata of its events. Default: false. With true each event gets, unless its metadata have them:
    /// <c>traceparent</c> and <c>tracestate</c> of the current activity (W3C trace context); <c>causationId</c>, the id of the event that is being
    /// processed (<see cref="ProcessingScope"/>); and <c>correlationId</c>, that event's correlation id or, without one, its id;
    /// if no event is being processed, the trace id. A retry is recognised by the rest of the metadata.
    /// </summary>
    public bool EnrichMetadata { get; set; }

    /// <summary>
    /// Names who appends, which goes into the metadata of the events as <c>user</c> (<see cref="MetadataNames.User"/>) unless they have such an
    /// entry; null and empty add nothing. Called on the caller's thread for each append. Null, the default: nobody is named. Metadata are not
    /// encrypted and stay when a person is forgotten: name a user by an id, not by a name. A retry is recognised by the rest of the metadata.
    /// </summary>
    public Func<string?>? User { get; set; }

    /// <summary>
    /// Whether the first event of an append keeps the append's condition, so that it can be read later what was checked before the append was
    /// allowed: <see cref="SequencedEvent.Condition"/>. Default: false. A condition on two tags adds some 70 bytes to the event, a fifth of a small one.
    /// </summary>
    public bool KeepConditions { get; set; }

    /// <summary>
    /// The event types whose events are written from, and read as, CLR objects. Default: a new registry. Several stores may share one registry.
    /// </summary>
    public EventTypeRegistry EventTypes { get; set; } = new();

    /// <summary>
    /// Rules that give events tags by their JSON. Default: none. Opening adds those that the store does not have yet, which reads all events once and
    /// then waits two seconds, or waits until another process that does so is done; it removes none
    /// (<see cref="FileSystemEventStore.RemoveTagRuleAsync"/>). No effect with <see cref="ReadOnly"/>.
    /// </summary>
    public IList<TagRule> TagRules { get; private set; } = [];

    /// <summary>The clock for the events' timestamps. Default: the system clock.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The logger factory. Default: null, no log; <c>AddOpossum</c> uses the host's logger factory.</summary>
    public ILoggerFactory? LoggerFactory { get; set; }

    /// <summary>What is set rarely: limits, sizes and waits.</summary>
    public OpossumAdvancedOptions Advanced { get; private set; } = new();

    internal OpossumOptions Copy()
    {
        var copy = (OpossumOptions)MemberwiseClone();
        copy.Advanced = Advanced.Copy();
        copy.TagRules = [.. TagRules];
        // Not by Select, of which a fresh process compiles ten methods.
        copy.features = [];
        foreach (var feature in features)
            copy.features[feature.Key] = feature.Value.Copy();
        return copy;
    }

    internal T? Feature<T>() where T : class, IFeatureOptions => (T?)features.GetValueOrDefault(typeof(T));

    internal T FeatureOrNew<T>() where T : class, IFeatureOptions, new() => (T)features.GetOrAdd(typeof(T), static _ => new T());

    internal void SetFeature<T>(T? options) where T : class, IFeatureOptions
    {
        if (options is null)
            features.TryRemove(typeof(T), out _);
        else
            features[typeof(T)] = options;
    }

    internal OptionsChecks Check(bool pathRequired = true)
    {
        var checks = new OptionsChecks(nameof(OpossumOptions));
        if (pathRequired)
            checks.Path(Path ?? "", "the store's folder", nameof(Path));
        checks.Range(SealAllButNewestFolders, 1, KeptFoldersMax);
        checks.Require(!UseJournal || FlushEventsImmediately, "UseJournal is true and FlushEventsImmediately is false; the journal "
            + "is flushed immediately, so set FlushEventsImmediately to true, or UseJournal to false.");
        checks.Range<TimeSpan>(LockTimeout, TimeSpan.Zero, TimeSpan.FromDays(1));
        checks.Require(!TagRules.Contains(null!), "TagRules must not hold null.");
        checks.Require(EventTypes is not null, "EventTypes must not be null; its default is a new registry.");
        checks.Require(TimeProvider is not null, "TimeProvider must not be null; its default is TimeProvider.System.");
        Advanced.Check(checks);
        foreach (var feature in features.Values)
            feature.Check(checks);
        return checks;
    }
}
