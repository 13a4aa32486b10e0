using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Definitions;

/// <summary>
/// The schemas of the event types of an open store: writes those of the app's classes when they are first needed, and finds out whether the
/// classes can read what other versions of the app write. No failure of it fails an append or an opening.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Only its wait handle, which nothing uses, would have to be disposed.")]
internal sealed class StoreSchemas
{
    private readonly SemaphoreSlim gate = new(1);
    private readonly StoreFolder folder;
    private readonly EventTypeRegistry types;
    private readonly Func<TimeSpan, CancellationToken, IDisposable>? takeLock;
    private readonly TimeSpan lockTimeout;
    private readonly ILogger logger;
    private readonly Dictionary<string, RegisteredEventType> typesByName = new(StringComparer.Ordinal);
    private readonly HashSet<string> seen = new(StringComparer.Ordinal);
    // By event type, what the folder lacks or may lack. Replaced, never changed: an append looks at it without the gate.
    private volatile Dictionary<string, RegisteredEventType> missing = [];
    private volatile IReadOnlyList<string> findings = [];

    /// <param name="takeLock">Takes the store's lock; null: nothing is written.</param>
    /// <param name="lockTimeout">How long an append waits for it.</param>
    public StoreSchemas(StoreFolder folder, EventTypeRegistry types, Func<TimeSpan, CancellationToken, IDisposable>? takeLock,
        TimeSpan lockTimeout, ILogger logger)
    {
        (this.folder, this.types, this.takeLock, this.lockTimeout, this.logger) = (folder, types, takeLock, lockTimeout, logger);
        foreach (var type in types.All)
            typesByName.Add(KeyFileName.Of(type.Name), type);
        if (typesByName.Count == 0)
            return;
        Try(() =>
        {
            List<string> names = [.. SchemaFiles.List(folder.FileSystem, folder.Layout)];
            if (takeLock is not null)
                missing = FindMissing(names);
            // To compare classes with files takes a new process tens of milliseconds: only where there is a log for it.
            if (logger.IsEnabled(LogLevel.Warning))
                Look(names);
        });
    }

    /// <summary>Looks for files that are new in the folder, unless another thread writes some.</summary>
    /// <returns>What the app cannot read of what other versions of it write, a sentence each; empty: nothing is
    /// known.</returns>
    public IReadOnlyList<string> Look()
    {
        if (typesByName.Count == 0 || !gate.Wait(0))
            return findings;
        try
        {
            Try(() => Look(SchemaFiles.List(folder.FileSystem, folder.Layout)));
            return findings;
        }
        finally
        {
            gate.Release();
        }
    }

    /// <summary>Whether a schema of new events may have to be written first.</summary>
    public bool AreMissing(PreparedEvent[] events)
    {
        var missing = this.missing;
        return missing.Count > 0 && Array.Exists(events,
            each => missing.TryGetValue(each.Type, out var type) && type.Version == each.Version);
    }

    /// <exception cref="StoreLockTimeoutException">The store's lock was not free in time.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled meanwhile.</exception>
    public void Write(PreparedEvent[] events, CancellationToken cancellationToken = default)
    {
        if (!AreMissing(events))
            return;
        if (!gate.Wait((int)Math.Min(lockTimeout.TotalMilliseconds, int.MaxValue), cancellationToken))
        {
            throw new StoreLockTimeoutException(folder.Layout.LockFile, ThisProcess.Description, lockTimeout,
                "That is this process itself: another append of it writes the schemas of event types, or waits to do so. Try again when it is done.");
        }
        try
        {
            var needed = missing.Values.Where(type => Array.Exists(events,
                each => each.Type == type.Name && each.Version == type.Version)).ToList();
            if (needed.Count == 0)
                return;
            Try(() =>
            {
                List<EventSchema> schemas = [.. needed.Select(SchemaOf).OfType<EventSchema>()
                    .Where(schema => SchemaFiles.Lacks(folder.FileSystem, folder.Layout, schema, out _))];
                if (schemas.Count == 0)
                    return;
                using var held = takeLock!(lockTimeout, cancellationToken);
                foreach (var schema in schemas)
                    SchemaFiles.Write(folder.FileSystem, folder.Layout, schema);
            });
            // Also after a failure: the next opening writes them.
            missing = missing.Where(each => !needed.Contains(each.Value)).ToDictionary(StringComparer.Ordinal);
        }
        finally
        {
            gate.Release();
        }
    }

    private EventSchema? SchemaOf(RegisteredEventType type) => EventSchema.Of(type, types.PathsOf(type.Name));

    // By the names of the files alone. A class that has something personal is compared with its file by the first append: that takes a new process
    // milliseconds.
    private Dictionary<string, RegisteredEventType> FindMissing(List<string> names)
    {
        var personal = types.PersonalTypes.ToHashSet(StringComparer.Ordinal);
        var there = names.ToHashSet(StringComparer.Ordinal);
        return types.All.Where(type => personal.Contains(type.Name) || !there.Contains(SchemaFiles.NameOf(type.Name, type.Version)))
            .ToDictionary(static type => type.Name, StringComparer.Ordinal);
    }

    private void Look(IEnumerable<string> names)
    {
        foreach (var name in names.Where(seen.Add))
            Look(name);
    }

    private void Look(string name)
    {
        // The files of older versions and of other apps need not be read.
        if (SchemaFiles.VersionOf(name, out var typeName) is not { } version
            || !typesByName.TryGetValue(typeName, out var type) || version < type.Version)
        {
            return;
        }
        var schema = SchemaFiles.TryRead(folder.FileSystem, folder.Layout, name);
        // The next append of the type writes it again.
        if (takeLock is not null && version == type.Version && schema is null)
            missing = new Dictionary<string, RegisteredEventType>(missing, StringComparer.Ordinal) { [type.Name] = type };
        if (schema is null)
            return;
        var misfits = string.Join(' ', MisfitsOf(schema, type));
        if (misfits.Length == 0)
            return;
        var path = FilePath.Join(folder.Layout.Schemas, name);
        StoreLog.SchemaDiffers(logger, type.Name, folder.Root, path, misfits);
        findings = [.. findings, string.Create(CultureInfo.InvariantCulture,
            $"This app cannot read all events of the type {type.Name}, as {path} describes them. {misfits}")];
    }

    private static IEnumerable<string> MisfitsOf(EventSchema schema, RegisteredEventType type)
    {
        try
        {
            return schema.FindMisfits(type);
        }
        catch (Exception e) when (e is NotSupportedException or InvalidOperationException)
        {
            // The class cannot be described.
            return [];
        }
    }

    private void Try(Action work)
    {
        try
        {
            work();
        }
        // The append would wait for the lock once more, or was cancelled.
        catch (Exception e) when (e is not (StoreLockTimeoutException or OperationCanceledException))
        {
            StoreLog.SchemasNotKept(logger, folder.Layout.Schemas, e.Message, e);
        }
    }
}
