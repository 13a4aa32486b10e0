using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Commit;

/// <summary>Rewrites, with a commit, the lines that readers found damaged.</summary>
internal sealed class LineMending(EventIndex index, EventFiles eventFiles, ILogger logger)
{
    // Each one reads an event file under the lock, and all lines may be lost at once: many commits then rewrite some each.
    private const int LinesMax = 256;

    public void Run(StoreLock.Held held)
    {
        foreach (var position in index.TakeDamagedLines(LinesMax))
        {
            try
            {
                if (position <= index.Head && eventFiles.Read(position, out _) is { } stored)
                    index.TryMend(stored, held);
            }
            catch (FileSystemException e)
            {
                StoreLog.LineNotMended(logger, position, e);
            }
        }
    }
}
