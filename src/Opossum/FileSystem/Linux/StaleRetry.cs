using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// Decides whether to repeat a call by path that has just failed: after an interrupting signal, for four seconds while the name leads to a file that
/// no longer exists (ESTALE), and for two while another program has the file open (EBUSY, ETXTBSY). A client caches names for a while, on FUSE for a
/// second by default; a server of SMB lets no client delete or replace what another one has open.
/// </summary>
internal struct StaleRetry
{
    private const int StaleTriesMax = 12;
    private const int BusyTriesMax = 11;

    private int tries;

    /// <summary>Whether to repeat the call; first waits, longer each time, where waiting helps.</summary>
    public bool IsDue()
    {
        if (ErrorNumber.WasInterrupted)
            return true;
        var triesMax = ErrorNumber.Last is ErrorNumber.Busy or ErrorNumber.TextBusy ? BusyTriesMax
            : ErrorNumber.Last == ErrorNumber.Stale ? StaleTriesMax : 0;
        if (tries >= triesMax)
            return false;
        LinuxFileSystem.Sleep(TimeSpan.FromMilliseconds(1 << tries++));
        return true;
    }
}
