using System.Diagnostics;
using System.Globalization;

namespace Opossum.Benchmarks.Measuring;

/// <summary>
/// A memory cgroup: a program in it, and the pages of files that it reads, take no more memory than the bound. Of Linux, version 1 or 2, and for
/// root.
/// </summary>
internal sealed class MemoryBound : IDisposable
{
    private const string Root = "/sys/fs/cgroup";

    private readonly string group;

    private MemoryBound(string group) => this.group = group;

    /// <summary>Makes a group; null where that cannot be done.</summary>
    /// <param name="bytes">The bound.</param>
    /// <param name="reason">Why it cannot be done, as a sentence.</param>
    public static MemoryBound? TryMake(long bytes, out string reason)
    {
        var isVersion2 = File.Exists(Path.Combine(Root, "cgroup.controllers"));
        var parent = isVersion2 ? Root : Path.Combine(Root, "memory");
        var group = Path.Combine(parent, $"opossum-{Guid.NewGuid().ToString("N")[..8]}");
        reason = "";
        if (!Directory.Exists(parent))
        {
            reason = "There are no memory cgroups here.";
            return null;
        }
        try
        {
            if (isVersion2)
                File.WriteAllText(Path.Combine(parent, "cgroup.subtree_control"), "+memory");
            Directory.CreateDirectory(group);
            File.WriteAllText(Path.Combine(group, isVersion2 ? "memory.max" : "memory.limit_in_bytes"), bytes.ToString(CultureInfo.InvariantCulture));
            return new MemoryBound(group);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            reason = $"No memory cgroup can be made here: {e.Message}";
            if (Directory.Exists(group))
                Directory.Delete(group);
            return null;
        }
    }

    /// <summary>Runs a program within the bound, and returns what it writes to its output.</summary>
    /// <exception cref="CannotMeasureException">The program failed.</exception>
    public async Task<string> RunAsync(string[] command, CancellationToken cancellationToken)
    {
        // It joins the group before it becomes the program, so that all of its memory counts.
        string[] arguments = ["-c", "echo $$ > \"$0\" && exec \"$@\"", Path.Combine(group, "cgroup.procs"), .. command];
        using var process = Process.Start(new ProcessStartInfo("sh", arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        var output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            await process.WaitForExitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            await process.WaitForExitAsync(CancellationToken.None);
            throw;
        }
        return process.ExitCode == 0 ? await output : throw new CannotMeasureException($"The program within the memory bound failed: {await errors}");
    }

    // A group that has no process left is removed like a folder, without its files.
    public void Dispose() => Directory.Delete(group);
}
