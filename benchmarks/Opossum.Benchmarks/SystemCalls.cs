using System.Diagnostics;
using System.Globalization;
using Opossum.Benchmarks.Contenders;
using Opossum.Benchmarks.Proof;

namespace Opossum.Benchmarks;

/// <summary>Counts the system calls on files of an append, with strace, as the difference between a longer and a shorter run.</summary>
internal static class SystemCalls
{
    // Without read(2), by which .NET gets random bytes for ids; the store itself reads with pread64. SQLite reads with it: those are not counted.
    private const string OnFiles = "open,openat,creat,pread64,write,pwrite64,fsync,fdatasync,syncfs,sync_file_range,close,fcntl,flock,fstat,newfstatat,statx,lseek,ftruncate,unlink,unlinkat,rename,renameat2,mkdir,getdents64";

    /// <summary>Counts Opossum's calls for a lone append; null when strace is missing.</summary>
    public static Task<double?> OfLoneAppendAsync(string folder, CancellationToken cancellationToken) =>
        PerEventAsync(folder, ContenderName.Opossum, AppendWay.Alone, cancellationToken);

    /// <summary>Counts a contender's calls for an event appended in the given way; null when strace is missing.</summary>
    /// <param name="folder">Where it appends.</param>
    /// <param name="contender">A <see cref="ContenderName"/>.</param>
    /// <param name="way">How it appends.</param>
    /// <param name="cancellationToken">Cancels the runs.</param>
    /// <param name="priceOf">What a call counts, by its name. Default: 1.</param>
    public static async Task<double?> PerEventAsync(string folder, string contender, AppendWay way, CancellationToken cancellationToken,
        Func<string, int>? priceOf = null)
    {
        var (few, many, eventsOfStep) = way switch
        {
            AppendWay.Alone => (200, 700, 1),
            AppendWay.Together => (4, 14, Entrant.Batch),
            _ => (4, 14, Entrant.Writers),
        };
        var shorter = await CountAsync(folder, contender, way, few, priceOf, cancellationToken);
        var longer = await CountAsync(folder, contender, way, many, priceOf, cancellationToken);
        return longer - shorter is { } difference ? (double)difference / ((many - few) * eventsOfStep) : null;
    }

    /// <summary>Counts the calls of a lone append without and with the proof; null when strace is missing.</summary>
    /// <remarks>Fewer events than a tile has: a tile is written in the background, once for 256 events.</remarks>
    public static async Task<(double Without, double With)?> OfProofAsync(string folder, CancellationToken cancellationToken)
    {
        const int Few = 20;
        const int Many = 240;
        async Task<double?> PerAppendAsync(bool keepsProof)
        {
            Task<int?> CountOfAsync(int appends)
            {
                var path = Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"calls-{appends}-{keepsProof}"));
                return CountAsync(path, [ProofAppendCommand.Name, path, appends.ToString(CultureInfo.InvariantCulture), keepsProof.ToString()],
                    priceOf: null, cancellationToken);
            }
            var shorter = await CountOfAsync(Few);
            return await CountOfAsync(Many) - shorter is { } difference ? (double)difference / (Many - Few) : null;
        }
        return await PerAppendAsync(false) is { } without && await PerAppendAsync(true) is { } with ? (without, with) : null;
    }

    private static Task<int?> CountAsync(string folder, string contender, AppendWay way, int steps, Func<string, int>? priceOf,
        CancellationToken cancellationToken)
    {
        var path = Path.Combine(folder, $"calls-{contender}-{way}-{steps}");
        return CountAsync(path, ["append", contender, way.ToString(), path, steps.ToString(CultureInfo.InvariantCulture)], priceOf,
            cancellationToken);
    }

    private static async Task<int?> CountAsync(string path, string[] command, Func<string, int>? priceOf, CancellationToken cancellationToken)
    {
        var summary = path + ".txt";
        var start = new ProcessStartInfo("strace") { RedirectStandardError = true, RedirectStandardOutput = true };
        // Tiered compilation sometimes maps memory through files; without it both runs differ only in their appends.
        start.Environment["DOTNET_TieredCompilation"] = "0";
        string[] arguments =
            ["-f", "-c", "-o", summary, "-e", "trace="
                + OnFiles + (priceOf is null ? "" : ",read"), .. OwnProgram.Command(command)];
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        try
        {
            using var process = Process.Start(start)!;
            await Task.WhenAll(process.StandardError.ReadToEndAsync(cancellationToken), process.StandardOutput.ReadToEndAsync(cancellationToken),
                process.WaitForExitAsync(cancellationToken));
            return process.ExitCode == 0 ? Total(summary, priceOf ?? (static _ => 1)) : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    // The table stands between two lines of dashes: the calls in the fourth field of a line, the name in the last. Before it strace may name
    // threads whose calls it did not see end.
    private static int Total(string summary, Func<string, int> priceOf) => File.ReadLines(summary)
        .SkipWhile(static line => !IsRule(line)).Skip(1).TakeWhile(static line => !IsRule(line))
        .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        .Sum(fields => int.Parse(fields[3], CultureInfo.InvariantCulture) * priceOf(fields[^1]));

    private static bool IsRule(string line) => line.StartsWith("------", StringComparison.Ordinal);
}
