using Opossum.Storage;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What a trace says of flushes. A power cut shows at few moments that one is missing, the order of operations always.</summary>
internal static class FlushOrder
{
    /// <summary>
    /// The files that took their name before what was written to them was flushed, or came into their place with their folder before they were
    /// flushed at all; except those of the index.
    /// </summary>
    public static List<string> FindNamedBeforeFlush(IEnumerable<SimulatedOperation> trace)
    {
        var (written, created) = (new HashSet<string>(StringComparer.Ordinal), new HashSet<string>(StringComparer.Ordinal));
        var found = new List<string>();
        foreach (var operation in trace)
        {
            switch (operation.Kind)
            {
                case OperationKind.CreateNew:
                    created.Add(operation.Path);
                    break;
                case OperationKind.Write or OperationKind.SetLength:
                    written.Add(operation.Path);
                    break;
                case OperationKind.Flush or OperationKind.FlushRange or OperationKind.Delete:
                    written.Remove(operation.Path);
                    created.Remove(operation.Path);
                    break;
                case OperationKind.FlushWhole:
                    written.Clear();
                    created.Clear();
                    break;
                case OperationKind.Move when IsName(operation.To!):
                    if (written.Contains(operation.Path) || created.Any(path => path.StartsWith($"{operation.Path}/", StringComparison.Ordinal)))
                        found.Add($"{operation}");
                    break;
            }
        }
        return found;
    }

    /// <summary>The first operation that is not preceded by a flush of a path, since another one; null when each is.</summary>
    /// <param name="trace">The trace.</param>
    /// <param name="since">After which operations the path has to be flushed.</param>
    /// <param name="before">Before which operations.</param>
    /// <param name="flushed">The path, a file's or a folder's.</param>
    public static SimulatedOperation? FindUnflushed(IEnumerable<SimulatedOperation> trace, Predicate<SimulatedOperation> since,
        Predicate<SimulatedOperation> before, string flushed)
    {
        var isDue = false;
        foreach (var operation in trace)
        {
            if (isDue && before(operation))
                return operation;
            isDue |= since(operation);
            isDue &= operation.Kind != OperationKind.FlushWhole && !(operation.IsFlush && operation.Path == flushed);
        }
        return null;
    }

    private static bool IsName(string path) => !path.EndsWith(StoreLayout.StagingEnding, StringComparison.Ordinal)
        && !path.Contains($"/{StoreLayout.IndexFolderName}/", StringComparison.Ordinal)
        && !path.Contains($"/{StoreLayout.QuarantineFolderName}/", StringComparison.Ordinal);
}
