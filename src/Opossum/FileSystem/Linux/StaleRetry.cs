using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// Decides whether to repeat a call by path that has just failed: after an interrupting signal, and for four seconds while the name leads to a
/// file that no longer exists (ESTALE), or to one that another program has open (EBUSY, ETXTBSY). A client caches names for a while, on FUSE for a
/// second by default; a server of SMB lets no client delete or replace what another one has open.
/// </summary>
internal struct StaleRetry
{
    private const int TriesMax = 12;

    private int tries;

    /// <summary>Whether to repeat the call; first waits, longer each time, where waiting helps.</summary>
    public bool IsDue()
    {
        if (ErrorNumber.WasInterrupted)
            return true;
        var error = ErrorNumber.Last;
        if ((error != ErrorNumber.Stale && error is not (ErrorNumber.Busy or ErrorNumber.TextBusy)) || tries == TriesMax)
            return false;
        LinuxFileSystem.Sleep(TimeSpan.FromMilliseconds(1 << tries++));
        return true;
    }
}
