using System.Diagnostics;

namespace Opossum.Cli.Disks;

/// <summary>What a disk or a share gives a store: the time of a flush, and how it is mounted.</summary>
internal sealed record DiskProbe
{
    private const int Flushes = 20;

    // No disk without power-loss protection writes to its medium and answers within this time.
    private const double FlushMicrosecondsMin = 30;

    private static readonly (string Option, string Warning)[] ofOptions =
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

    /// <summary>The median of 20 writes of the length of an event, each flushed; null: the folder takes no file.</summary>
    public required double? FlushMicroseconds { get; init; }

    /// <summary>The options of the mount, where the system tells them.</summary>
    public required IReadOnlyList<string> MountOptions { get; init; }

    /// <summary>What to look at or to change; usually none.</summary>
    public required IReadOnlyList<string> Warnings { get; init; }

    /// <summary>Measures in a file of the store's folder, which is removed.</summary>
    public static DiskProbe Run(StoreStatus store)
    {
        var mountOptions = Mount.OptionsOf(store.Path);
        try
        {
            return Of(store, MeasureFlush(store.Path), mountOptions);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            var unmeasured = Of(store, null, mountOptions);
            return unmeasured with { Warnings = [$"A flush could not be measured: {e.Message}", .. unmeasured.Warnings] };
        }
    }

    public static DiskProbe Of(StoreStatus store, double? flushMicroseconds, IReadOnlyList<string> mountOptions) => new()
    {
        FlushMicroseconds = flushMicroseconds,
        MountOptions = mountOptions,
        Warnings =
        [
            .. OfFlush(store, flushMicroseconds),
            .. ofOptions.Where(each => mountOptions.Contains(each.Option)).Select(each => $"The mount option {each.Option} {each.Warning}"),
        ],
    };

    private static double MeasureFlush(string folder)
    {
        var path = Path.Combine(folder, $"opossum-probe-{Guid.NewGuid():N}");
        var bytes = new byte[430];
        var times = new List<double>();
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose);
        for (var at = 0; at < Flushes; at++)
        {
            var started = Stopwatch.GetTimestamp();
            file.Write(bytes);
            file.Flush(flushToDisk: true);
            times.Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds);
        }
        times.Sort();
        return times[times.Count / 2];
    }

    private static IEnumerable<string> OfFlush(StoreStatus store, double? flushMicroseconds)
    {
        if (store.FileSystem is "tmpfs" or "ramfs")
        {
            yield return "The folder is in memory, not on a disk: a power cut or a restart removes the store.";
        }
        else if (!store.IsNetwork && flushMicroseconds < FlushMicrosecondsMin)
        {
            yield return "Flushes return sooner than a disk without power-loss protection can write. The disk, or a virtual machine's disk, "
                + "may ignore them; then a power cut loses acknowledged events. Check the settings of its write cache.";
        }
    }
}
