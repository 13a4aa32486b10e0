using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Serialization;
using Opossum.Storage.Index;

namespace Opossum.Storage.Reading;

/// <summary>
/// Logs, once each, the type names in queries that no registered type and no stored event has: a mistyped name silently matches nothing.
/// </summary>
/// <param name="path">The store's folder, for the log.</param>
internal sealed class UnknownEventTypes(EventTypeRegistry types, string path, ILogger logger)
{
    // Type names built from external input must fill neither the memory nor the log.
    private const int NamesMax = 1_000;

    private readonly ConcurrentDictionary<string, bool> logged = new(StringComparer.Ordinal);

    /// <summary>Checks the type names of a query.</summary>
    /// <param name="contents">The contents of the store, as far as this process has read them.</param>
    /// <param name="appended">The events to be appended under the query; null when there are none.</param>
    public void Note(Query query, IndexContents contents, PreparedEvent[]? appended = null)
    {
        foreach (var item in query.ItemSpan)
        {
            foreach (var name in item.EventTypeSpan)
            {
                if (types.Find(name) is null && !IsStored(name, contents) && !IsOf(name, appended))
                    Log(name);
            }
        }
    }

    private static bool IsStored(string name, IndexContents contents)
    {
        try
        {
            return contents.HasType(name);
        }
        catch (FileSystemException)
        {
            // The read or append that follows reports it.
            return true;
        }
    }

    private static bool IsOf(string name, PreparedEvent[]? events)
    {
        foreach (var e in events ?? [])
        {
            if (e.Type == name)
                return true;
        }
        return false;
    }

    private void Log(string name)
    {
        if (!logged.ContainsKey(name) && logged.Count < NamesMax && logged.TryAdd(name, true))
            StoreLog.UnknownEventType(logger, name, path);
    }
}
