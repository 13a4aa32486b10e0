using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Commit;

/// <summary>Rewrites, with a commit, the packed copies that readers found damaged.</summary>
internal sealed class CopyMending(EventIndex index, EventFiles eventFiles, ILogger logger)
{
    // Each one reads an event file under the lock, and all copies may be lost at once: many commits then rewrite some each.
    private const int CopiesMax = 256;

    public void Run(StoreLock.Held held)
    {
        foreach (var position in index.TakeDamagedCopies(CopiesMax))
        {
            try
            {
                if (position <= index.Head && eventFiles.Read(position, out _) is { } stored)
                    index.TryMend(stored, held);
            }
            catch (FileSystemException e)
            {
                StoreLog.CopyNotMended(logger, position, e);
            }
        }
    }
}
