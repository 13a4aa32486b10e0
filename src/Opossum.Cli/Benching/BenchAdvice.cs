using System.Globalization;

namespace Opossum.Cli.Benching;

/// <summary>Reads the figures and the mount's options, and says what to look at.</summary>
internal static class BenchAdvice
{
    // No disk without power-loss protection writes to its medium and answers within this time.
    private const double FlushMicrosecondsMin = 30;

    // On a local disk a new file takes some 10 to 50 µs under Linux and some 100 µs on NTFS, unless a program looks at it.
    private const double CreationMicrosecondsMax = 400;

    // Four machines with bursts of 30 events a second.
    private const double WantedPerSecond = 120;

    // Below this, appends from several callers gain little from sharing a flush.
    private const double GroupGainMin = 2;

    private const string OfFlush = "Flushes return sooner than a disk without power-loss protection can write. The disk, or a virtual machine's "
        + "disk, may ignore them; then a power cut loses acknowledged events. Check the settings of its write cache. A flush took";

    private const string OfScanner = "A program looks at every new file, most often a virus scanner or a search index: exclude the store's folder "
        + "from both. Creating a file without a flush took";

    private static readonly (string Option, string Advice)[] ofOptions =
    [
        ("nobarrier", "keeps flushes from the disk: a power cut may lose acknowledged events. Mount without it."),
        ("barrier=0", "keeps flushes from the disk: a power cut may lose acknowledged events. Mount without it."),
        ("sync", "makes every write wait for the disk, also those that need not. Opossum flushes what it must: mount without it."),
        ("nolock", "keeps locks on this machine: use the store on one machine only, or mount without it."),
        ("nobrl", "keeps locks on this machine: use the store on one machine only, or mount without it."),
        ("local_lock=all", "keeps locks on this machine: use the store on one machine only, or mount without it."),
        ("local_lock=posix", "keeps locks on this machine: use the store on one machine only, or mount without it."),
        ("soft", "makes a slow server look like a failed disk, after which a store accepts no appends. Mount with hard."),
    ];

    private static string ScannerAdvice => OperatingSystem.IsWindows()
        ? "For Microsoft Defender, as an administrator: Add-MpPreference -ExclusionPath <the store's folder>"
        : "See docs/deployment.md.";

    public static IEnumerable<string> Of(StoreStatus status, IReadOnlyList<string> mountOptions, IReadOnlyList<BenchFigure> figures)
    {
        foreach (var advice in status.IsNetwork ? OfShare() : OfDisk(status, Find(DiskBench.RawFlush), Find(DiskBench.RawCreation)))
            yield return advice;
        if (OfRates(Find(DiskBench.LoneAppend).PerSecond, Find(DiskBench.ConcurrentAppends).PerSecond) is { } ofRates)
            yield return ofRates;
        foreach (var (option, advice) in ofOptions.Where(each => mountOptions.Contains(each.Option)))
            yield return $"The mount option {option} {advice}";

        BenchFigure Find(string name) => figures.First(each => each.Name == name);
    }

    private static IEnumerable<string> OfShare() =>
    [
        "On a share each append costs several round trips to the server. Append several events in one call, or from several callers at once.",
    ];

    private static IEnumerable<string> OfDisk(StoreStatus status, BenchFigure flush, BenchFigure creation)
    {
        if (status.FileSystem is "tmpfs" or "ramfs")
            yield return "The folder is in memory, not on a disk: a power cut or a restart removes the store.";
        else if (flush.MedianMicroseconds < FlushMicrosecondsMin)
            yield return Say($"{OfFlush} {flush.MedianMicroseconds:F0} µs.");
        if (creation.MedianMicroseconds > CreationMicrosecondsMax)
            yield return Say($"{OfScanner} {creation.MedianMicroseconds:F0} µs. {ScannerAdvice}");
        if (status.Flush is FlushMethod.EachFile or FlushMethod.EachFileAndFolder)
        {
            yield return $"On {status.FileSystem} each event's file is flushed by itself. On NTFS, xfs, or ext4 with a journal, one flush serves the "
                + "appends of several callers.";
        }
    }

    private static string? OfRates(double alone, double together) => alone switch
    {
        >= WantedPerSecond => null,
        _ when together > GroupGainMin * alone => Say(
            $"One caller appends {alone:F0} events a second, 50 callers {together:F0}. For more, append several events in one call or at once."),
        _ => Say($"This disk takes {alone:F0} events a second from one caller, and {together:F0} from 50. An SSD takes many times more."),
    };

    private static string Say(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
