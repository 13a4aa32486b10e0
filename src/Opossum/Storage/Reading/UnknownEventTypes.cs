using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.Serialization;
using Opossum.Storage.Index;

namespace Opossum.Storage.Reading;

/// <summary>Logs, once each, the type names that queries ask for and that nobody knows: a mistyped name matches nothing, in silence.</summary>
/// <param name="types">The registered types.</param>
/// <param name="path">The store's folder, for the log.</param>
/// <param name="logger">The store's log.</param>
internal sealed class UnknownEventTypes(EventTypeRegistry types, string path, ILogger logger)
{
    // Whoever makes names out of what others send must not fill the memory, nor the log.
    private const int NamesMax = 1_000;

    private readonly ConcurrentDictionary<string, bool> logged = new(StringComparer.Ordinal);

    /// <summary>Looks at the names of a query.</summary>
    /// <param name="query">The query.</param>
    /// <param name="contents">What the store holds, as far as this process knows.</param>
    /// <param name="appended">The events that are about to be appended under the query; null: none.</param>
    public void Note(Query query, IndexContents contents, PreparedEvent[]? appended = null)
    {
        foreach (var item in query.ItemSpan)
        {
            foreach (var name in item.EventTypeSpan)
            {
                if (types.Find(name) is null && contents.FindType(name) < 0 && !IsOf(name, appended))
                    Log(name);
            }
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
