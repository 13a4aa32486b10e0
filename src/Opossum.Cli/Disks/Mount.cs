namespace Opossum.Cli.Disks;

/// <summary>Finds how the disk or share under a folder is mounted.</summary>
internal static class Mount
{
    /// <summary>The mount's options and those of its file system; empty where the system does not tell (see proc_pid_mountinfo(5)).</summary>
    public static IReadOnlyList<string> OptionsOf(string folder)
    {
        const string Mounts = "/proc/self/mountinfo";
        return OperatingSystem.IsLinux() && File.Exists(Mounts)
            ? OptionsOf(Resolve(folder), File.ReadLines(Mounts))
            : [];
    }

    /// <summary>The same from the lines of that file.</summary>
    public static IReadOnlyList<string> OptionsOf(string folder, IEnumerable<string> lines)
    {
        var (point, options) = ("", Array.Empty<string>());
        foreach (var line in lines)
        {
            var fields = line.Split(' ');
            var separator = Array.IndexOf(fields, "-");
            if (separator < 6 || fields.Length < separator + 4)
                continue;
            var mounted = Unescape(fields[4]);
            // A later line covers an earlier one with the same mount point.
            if (IsBelow(folder, mounted) && mounted.Length >= point.Length)
                (point, options) = (mounted, [.. fields[5].Split(','), .. fields[separator + 3].Split(',')]);
        }
        return [.. options.Distinct()];
    }

    // Any part of the path may be a symbolic link, whose target may lie on another disk.
    private static string Resolve(string folder)
    {
        var resolved = "/";
        foreach (var part in folder.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            var path = Path.Combine(resolved, part);
            resolved = Directory.ResolveLinkTarget(path, returnFinalTarget: true) is { } target
                ? Resolve(target.FullName)
                : path;
        }
        return resolved;
    }

    private static bool IsBelow(string folder, string point) =>
        point == "/" || folder == point || folder.StartsWith(point + "/", StringComparison.Ordinal);

    private static string Unescape(string field) => field.Replace("\\040", " ", StringComparison.Ordinal)
        .Replace("\\011", "\t", StringComparison.Ordinal).Replace("\\012", "\n", StringComparison.Ordinal)
        .Replace("\\134", "\\", StringComparison.Ordinal);
}
