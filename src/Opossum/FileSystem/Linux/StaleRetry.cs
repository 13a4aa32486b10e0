using Opossum.FileSystem.Unix;

namespace Opossum.FileSystem.Linux;

/// <summary>
/// Tells whether a call by path that has just failed is made again: when a signal interrupted it, and for four seconds while the name leads
/// to a file that is no more (ESTALE). A client believes its names for a while, by default for a second where FUSE serves them.
/// </summary>
internal struct StaleRetry
{
    private const int TriesMax = 12;

    private int tries;

    /// <summary>Waits a little, and longer each time, where that is what helps.</summary>
    public bool IsDue()
    {
        if (ErrorNumber.WasInterrupted)
            return true;
        if (ErrorNumber.Last != ErrorNumber.Stale || tries == TriesMax)
            return false;
        LinuxFileSystem.Sleep(TimeSpan.FromMilliseconds(1 << tries++));
        return true;
    }
}
