using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Commit;

/// <summary>
/// After a lost connection, an SMB client reopens files by name, and its late writes go into files that other processes have stored under
/// those names since. This class rewrites such files from their lines; see docs/decisions/0012.
/// </summary>
internal sealed class LateWrites(WritingParts writing, EventFiles eventFiles, StoreSettings settings, ILogger logger)
{
    // The caller waits for it, and the server may be unreachable.
    private static readonly TimeSpan timeoutMax = TimeSpan.FromSeconds(30);

    // The positions where this process may have overwritten events that other processes have stored since.
    private (long First, long Last)? late;

    /// <summary>Records events whose files this process may still overwrite after other processes have taken their positions.</summary>
    public void Note(IReadOnlyList<StoredEvent> events)
    {
        if (writing.Folder.Volume.LockMayBeLost && events.Count > 0)
            late = (events[0].Position, events[^1].Position);
    }

    /// <summary>Rewrites the files at the recorded positions. Never throws: a check finds what is left.</summary>
    public void MakeGood()
    {
        if (late is not var (first, last))
            return;
        late = null;
        try
        {
            MakeGood(first, last);
        }
        catch (Exception e) when (e is EventStoreException or FileSystemException or ObjectDisposedException)
        {
            StoreLog.NotMadeGood(logger, first, last, e);
        }
    }

    private void MakeGood(long first, long last)
    {
        using var held = writing.StoreLock.Acquire(settings.LockTimeout < timeoutMax ? settings.LockTimeout : timeoutMax);
        var index = writing.Index;
        index.CatchUp(pastCache: true, underLock: true);
        for (var position = first; position <= Math.Min(index.Head, last); position++)
        {
            if (EventLine.ReadStored(index.ReadLine(position, pastCache: true), position) is { } stored
                && eventFiles.Mending.TryRestore(stored, held))
            {
                StoreLog.MadeGood(logger, position);
            }
        }
    }
}
