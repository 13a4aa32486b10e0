namespace Opossum.Benchmarks.Measuring;

/// <summary>The mount of a folder, on Linux.</summary>
/// <param name="Device">Its device's numbers, as <c>8:1</c>.</param>
/// <param name="Options">Those of the mount and those of the file system, each once.</param>
internal sealed record Mount(string Device, string Options)
{
    // The fields of a line are those of proc(5): device, root, mount point and options are the third to the sixth, the file system's own
    // options the last.
    private const int DeviceField = 2, PointField = 4, OptionsField = 5;

    /// <summary>Null where the system lists no mounts.</summary>
    public static Mount? Of(string folder)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var fields = File.ReadLines("/proc/self/mountinfo").Select(line => line.Split(' '))
            .Where(fields => folder == fields[PointField] || folder.StartsWith(fields[PointField].TrimEnd('/') + "/", StringComparison.Ordinal))
            .MaxBy(fields => fields[PointField].Length);
        return fields is null
            ? null
            : new Mount(fields[DeviceField], string.Join(',', fields[OptionsField].Split(',').Concat(fields[^1].Split(',')).Distinct()));
    }
}
