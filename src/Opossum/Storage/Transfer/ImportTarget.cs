using System.Globalization;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Storage.Commit;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Log;
using Opossum.Storage.Opening;
using Opossum.Storage.Rules;

namespace Opossum.Storage.Transfer;

/// <summary>The store that an import adds to; nothing is added in a dry run.</summary>
internal sealed class ImportTarget : IDisposable
{
    private readonly OpenStore? store;
    private readonly KnownEvents? known;
    private readonly Committer? committer;
    private readonly PlannedEvents planned = new();
    private readonly List<TagRule> plannedRules = [];
    private readonly StoreSettings settings;
    private readonly StoreFolder folder;
    private readonly KeyFolder keys;
    private readonly KeyNeeds needs;
    private readonly PersonalHistory personal;
    private readonly bool allowsPlain;
    // Null: every line was looked at before, or members may be in plain.
    private PlainLines? plain;

    private ImportTarget(OpenStore? store, StoreSettings settings, StoreFolder folder, ImportOptions options)
    {
        allowsPlain = options.AllowPlain;
        plain = allowsPlain ? null : new PlainLines();
        this.store = store;
        this.settings = settings;
        this.folder = folder;
        keys = new KeyFolder(folder, options.KeysFolder is null ? folder.Layout.Keys : Path.GetFullPath(options.KeysFolder), settings.LockTimeout);
        needs = new KeyNeeds(folder.FileSystem, keys);
        personal = new PersonalHistory { Schemas = store is null ? [] : [.. SchemaFiles.ReadAll(folder.FileSystem, folder.Layout)] };
        Refused = new RefusedLine(settings.ReadOnly);
        if (store is null)
            return;
        known = new KnownEvents(store.EventFiles, personal, Refused);
        if (store.Writing is { } writing)
            committer = new Committer(store, writing, settings, NullLogger.Instance);
    }

    public RefusedLine Refused { get; }

    public long Head => store?.Index.Published.Contents.Head ?? 0;

    public static ImportTarget Open(IFileSystem fileSystem, StoreLayout layout, ImportOptions options, TimeProvider clock)
    {
        var settings = StoreSettings.ForOneRun(clock) with { Create = options.CreateIfMissing, ReadOnly = options.DryRun };
        if (options is { DryRun: true, CreateIfMissing: true } && IsMissingOrEmpty())
        {
            return new ImportTarget(null, settings, new StoreFolder(fileSystem, layout), options);
        }
        var store = new StoreOpening(fileSystem, layout, settings, NullLogger.Instance).Open();
        try
        {
            // The import itself is refused by its opening.
            if (options.DryRun)
                store.Folder.ThrowIfReplica();
            return new ImportTarget(store, settings, store.Folder, options);
        }
        catch
        {
            store.Dispose();
            throw;
        }

        bool IsMissingOrEmpty() => fileSystem.GetKind(layout.Root) == EntryKind.Missing
            || (fileSystem.GetKind(layout.Root) == EntryKind.Folder && fileSystem.List(layout.Root).TrueForAll(StoreLayout.IsHarmlessName));
    }

    /// <summary>Why personal data of the events that were added cannot be read, and where its keys go; null when nothing is missing.</summary>
    public string? FindKeysProblem() => needs.LostInWords is { } lost
        ? $"{lost} Keys are not in the lines. Put the folder of keys of the store that the events come from there, before the store makes keys of "
            + "its own: the keys of two stores cannot be put together."
        : null;

    /// <summary>Looks at all lines before the first is stored: a later one may show which members of an earlier one are personal.</summary>
    public void LookAhead(LineReader lines, CancellationToken cancellationToken)
    {
        if (allowsPlain)
            return;
        while (lines.TryRead(out var line))
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (line.IndexOf("sealed\""u8) >= 0 && EventFile.ReadLine(line, out _) is { } stored)
                personal.Note(stored.Content.Type, stored.Content.Json, -lines.Number);
        }
        plain = null;
    }

    /// <summary>The events that the store lacks.</summary>
    /// <exception cref="StoreMaintenanceException">
    /// The store has another event with the id of one, or a member of one is in plain that is personal in other events.
    /// </exception>
    public List<ImportedEvent> FindNew(List<ImportedEvent> events)
    {
        events.ForEach(each => plain?.Note(each));
        var view = store?.Index.TakeView();
        if (view is not null)
            known!.CatchUp(view.Contents, view.ReadLine);
        events = events.FindAll(each => !IsStoredOrPlanned(each, view));
        events.ForEach(ThrowIfPlain);
        return events;
    }

    private bool IsStoredOrPlanned(ImportedEvent e, IndexView? view)
    {
        if (planned.Has(e, out var other) || (view is not null && known!.Has(e, view.ReadLine)))
            return true;
        return other == 0 ? false : throw Refused.OfId(e, string.Create(CultureInfo.InvariantCulture, $"line {other} has"));
    }

    private void ThrowIfPlain(ImportedEvent e)
    {
        personal.Note(e.Content.Type, e.Content.Json, -e.Line);
        foreach (var (member, shownBy) in allowsPlain ? [] : personal.FindPlain(e.Content.Type, e.Content.Json))
        {
            var reason = shownBy == 0 ? $"the schema of the type {e.Content.Type} says so"
                : $"{(shownBy > 0 ? $"the event at position {shownBy}" : $"line {-shownBy}")}, of the type {e.Content.Type}, has it encrypted";
            throw Refused.Of(e.Line, $"has the member {member.Path} in plain, which is personal data: {reason}",
                "Append such events with the app, which encrypts them, or allow plain text (AllowPlain, --allow-plain).");
        }
        if (plain?.Find(e) is var (encrypted, line))
        {
            throw Refused.Of(e.Line, string.Create(CultureInfo.InvariantCulture,
                $"has the member {encrypted} encrypted, and line {line}, of the same type, has it in plain"),
                "Where that line is stored, redact the member, and go on with plain text allowed (AllowPlain, --allow-plain). An import from a file "
                + "looks at all lines first, and refuses the line in plain.");
        }
    }

    /// <summary>Stores the appends, all or none, without events that another process has stored in the meantime.</summary>
    /// <returns>The number of events that were stored.</returns>
    /// <exception cref="StoreMaintenanceException">
    /// Another process has stored another event with the id of one. The appends before it are stored.
    /// </exception>
    public int Add(List<List<ImportedEvent>> appends)
    {
        foreach (var each in appends.SelectMany(static append => append))
            needs.Note(each.Content, each.Line);
        if (committer is null)
        {
            foreach (var each in appends.SelectMany(static append => append))
                planned.Add(each);
            return appends.Sum(static append => append.Count);
        }
        List<RecordedAppend> missing = [];
        StoreMaintenanceException? refused = null;
        var isDecided = false;
        NoteKeys();
        var pending = new PendingAppend([.. appends.SelectMany(static append => append.Select(static each => each.Content))], condition: null,
            index =>
            {
                // It is decided again when others' events were found in the place of these.
                known!.Decide(again: isDecided);
                isDecided = true;
                return missing = FindMissing(appends, index, out refused);
            });
        var group = new Group();
        group.Add(pending);
        committer.Commit(group, static _ => { });
        pending.Report();
        try
        {
            pending.Task.GetAwaiter().GetResult();
        }
        catch (ArgumentException e)
        {
            throw Refused.Of(appends[0][0].Line, $"is, or precedes, an event that the store refuses. {e.Message}", "Then import again.");
        }
        if (refused is not null)
            throw refused;
        return missing.Sum(static append => append.Events.Length);
    }

    /// <summary>Adds tag rules that the store lacks.</summary>
    /// <returns>The number of rules that were added; in a dry run, that it lacks.</returns>
    /// <exception cref="StoreMaintenanceException">The store refuses a rule.</exception>
    public int Add(List<(TagRule Rule, long Line)> found, IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        var there = store?.Index.TakeView().Rules.Rules ?? [];
        var declared = new DeclaredPersonal(new EventTypeRegistry(), personal.Schemas);
        List<TagRule> lacking = [.. found.Select(static each => each.Rule).Distinct().Except(there).Except(plannedRules)];
        try
        {
            if (committer is null)
            {
                plannedRules.AddRange(lacking);
                TagRuleSet.Of(there.Concat(plannedRules));
                return declared.FindPersonal(lacking) is { } problem ? throw new StoreMaintenanceException(folder.Root, problem) : lacking.Count;
            }
            return lacking.Count > 0 && new TagRuleChange(store!, settings, declared.FindPersonal, progress, cancellationToken).Run(lacking, [])
                ? lacking.Count : 0;
        }
        catch (Exception e) when (e is StoreMaintenanceException or ArgumentException)
        {
            throw Refused.Of(found[^1].Line, $"is, or follows, a tag rule that the store refuses. {e.Message}",
                "Delete the line of the rule to import the events without it.");
        }
    }

    public void Dispose()
    {
        // An open store disposes the file system.
        ((IDisposable?)store ?? folder.FileSystem).Dispose();
    }

    // Order matters: before the events, or a store without keys would make its own, and the persons' data be lost.
    private void NoteKeys()
    {
        if (!needs.HasValues || StoreKeyMark.Read(folder.FileSystem, folder.Layout) is not null)
            return;
        using var held = store!.Writing!.StoreLock.Acquire(settings.LockTimeout);
        if (StoreKeyMark.Read(folder.FileSystem, folder.Layout) is null)
            StoreKeyMark.Unknown.Write(folder.FileSystem, folder.Layout);
    }

    // Under the lock: what the index has now is all there is.
    private List<RecordedAppend> FindMissing(List<List<ImportedEvent>> appends, EventIndex index, out StoreMaintenanceException? refused)
    {
        refused = null;
        known!.CatchUp(index.Contents, position => index.ReadLine(position));
        var missing = new List<RecordedAppend>(appends.Count);
        try
        {
            foreach (var append in appends)
            {
                var events = append.FindAll(each => !known.Has(each, position => index.ReadLine(position), decides: true));
                events.ForEach(known.IsStoring);
                if (events.Count > 0)
                {
                    var first = events[0].Stored;
                    missing.Add(new RecordedAppend([.. events.Select(static each => each.Content)], first.TimestampTicks, first.Position,
                        first.Condition));
                }
            }
        }
        catch (StoreMaintenanceException e) when (e.Line is not null)
        {
            // The appends before it are stored, as they are when a line is refused without the lock.
            refused = e;
        }
        return missing;
    }
}
