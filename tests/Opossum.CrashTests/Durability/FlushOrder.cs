using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>What a trace says of flushes. A power cut shows at few moments that one is missing, the order of operations always.</summary>
internal static class FlushOrder
{
    /// <summary>
    /// The files that took their name before what was written to them was flushed, except those of the index, and checkpoints in a folder that is
    /// moved: one that is lost costs no more than applying events again.
    /// </summary>
    public static List<string> FindNamedBeforeFlush(IEnumerable<SimulatedOperation> trace)
    {
        var unflushed = new HashSet<string>(StringComparer.Ordinal);
        var found = new List<string>();
        foreach (var operation in trace)
        {
            switch (operation.Kind)
            {
                case OperationKind.Write or OperationKind.SetLength:
                    unflushed.Add(operation.Path);
                    break;
                case OperationKind.Flush or OperationKind.FlushRange or OperationKind.Delete:
                    unflushed.Remove(operation.Path);
                    break;
                case OperationKind.FlushWhole:
                    unflushed.Clear();
                    break;
                // A file, or a folder with all that is in it.
                case OperationKind.Move when IsName(operation.To!):
                    found.AddRange(unflushed.Where(path => $"{path}/".StartsWith($"{operation.Path}/", StringComparison.Ordinal)
                            && (path == operation.Path || !path.Contains("/checkpoint.", StringComparison.Ordinal)))
                        .Select(path => $"{path} before {operation}"));
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
