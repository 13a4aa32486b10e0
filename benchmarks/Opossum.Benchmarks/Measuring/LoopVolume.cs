namespace Opossum.Benchmarks.Measuring;

/// <summary>A file system of a given kind in a file, mounted for one run; on Linux, as root. Disposing unmounts and deletes it.</summary>
internal sealed class LoopVolume : IDisposable
{
    /// <summary>The size of the file, which is sparse: it takes only the space that is written.</summary>
    private const long Bytes = 16L << 30;

    private readonly string image;
    private bool isMounted;

    private LoopVolume(string parent, string kind)
    {
        var name = $"opossum-loop-{kind}-{Guid.NewGuid().ToString("N")[..8]}";
        MountPoint = Path.Combine(Path.GetFullPath(parent), name);
        image = MountPoint + ".img";
    }

    public string MountPoint { get; }

    /// <summary>The kinds that can be made.</summary>
    public static IReadOnlyList<string> Kinds { get; } = ["ext4", "xfs"];

    /// <summary>Creates the file, makes a file system in it and mounts it.</summary>
    /// <param name="parent">Where the file and the mount point are made.</param>
    /// <param name="kind">One of <see cref="Kinds"/>.</param>
    /// <param name="cancellationToken">Cancels it; nothing is left.</param>
    public static async Task<LoopVolume> MountAsync(string parent, string kind, CancellationToken cancellationToken)
    {
        if (!OperatingSystem.IsLinux() || Environment.UserName != "root")
            throw new CannotMeasureException("File systems in loop files can be made on Linux, by root.");
        var volume = new LoopVolume(parent, kind);
        try
        {
            await volume.MountAsync(kind, cancellationToken);
            return volume;
        }
        catch
        {
            volume.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        // Not cancellable: the volume is unmounted even if Ctrl-C ended the run.
        if (isMounted)
            Tool.RunAsync("umount", [MountPoint], CancellationToken.None).GetAwaiter().GetResult();
        isMounted = false;
        if (Directory.Exists(MountPoint))
            Directory.Delete(MountPoint);
        File.Delete(image);
    }

    private async Task MountAsync(string kind, CancellationToken cancellationToken)
    {
        using (var file = File.Create(image))
            file.SetLength(Bytes);
        // A journal of 1 GiB and no deferred initialisation, because neither should affect the measurement.
        await (kind switch
        {
            "ext4" =>
                Tool.RunAsync("mkfs.ext4", ["-q", "-F", "-N", "3000000", "-J", "size=1024", "-E", "lazy_itable_init=0,lazy_journal_init=0", image],
                    cancellationToken),
            "xfs" => Tool.RunAsync("mkfs.xfs", ["-q", "-f", image], cancellationToken),
            _ => throw new ArgumentException($"No file system {kind} is made in a loop file; there are {string.Join(", ", Kinds)}.", nameof(kind)),
        });
        Directory.CreateDirectory(MountPoint);
        // Not cancellable, so that it is known whether there is something to unmount.
        await Tool.RunAsync("mount", ["-o", "loop", image, MountPoint], CancellationToken.None);
        isMounted = true;
    }
}
