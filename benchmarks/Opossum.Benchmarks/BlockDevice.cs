using System.Globalization;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks;

/// <summary>Counts the flushes sent to the disk under a folder, on Linux.</summary>
internal sealed class BlockDevice
{
    private const int FlushField = 15;

    private readonly string statistics;

    private BlockDevice(string name)
    {
        Name = name;
        statistics = $"/sys/block/{name}/stat";
    }

    public string Name { get; }

    /// <summary>Whether the device can write through its cache by itself; if not, a journal's commit takes a second flush.</summary>
    public bool HasFua => File.Exists($"/sys/block/{Name}/queue/fua") && File.ReadAllText($"/sys/block/{Name}/queue/fua").Trim() == "1";

    /// <summary>The number of flushes since the machine started, including those of other programs.</summary>
    public long Flushes =>
        long.Parse(File.ReadAllText(statistics).Split(' ', StringSplitOptions.RemoveEmptyEntries)[FlushField], CultureInfo.InvariantCulture);

    /// <summary>Finds the device of the folder's mount; null when it is unknown.</summary>
    public static BlockDevice? Under(string folder)
    {
        if (Mount.Of(folder) is not { } mount || !Directory.Exists($"/sys/dev/block/{mount.Device}"))
            return null;
        var name = Path.GetFileName(Directory.ResolveLinkTarget($"/sys/dev/block/{mount.Device}", returnFinalTarget: true)!.FullName);
        return File.Exists($"/sys/block/{name}/stat") ? new BlockDevice(name) : null;
    }
}
