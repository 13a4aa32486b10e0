using System.Diagnostics;
using Opossum.FileSystem;
using Opossum.FileSystem.Portable;
using Opossum.FileSystem.Real;

namespace Opossum.Tests.FileSystem;

/// <summary>What tests need done in a process of its own: explicit tests, which run only when a test starts them through <see cref="Run"/>.</summary>
public sealed class RealFileSystemChild
{
    private const string PathVariable = "OPOSSUM_TEST_PATH";
    private const string PortableVariable = "OPOSSUM_TEST_PORTABLE";

    public const int FilesTraced = 20;

    private static string TestPath =>
        Environment.GetEnvironmentVariable(PathVariable) ?? throw new InvalidOperationException("Only for processes that a test starts.");

    [Fact(Explicit = true)]
    public void Finds_the_byte_locked()
    {
        using var file = CreateFileSystem().Open(TestPath, FileOpening.ReadWrite)!;
        Assert.False(file.TryLock(1L << 62));
    }

    [Fact(Explicit = true)]
    public void Locks_the_byte()
    {
        using var file = CreateFileSystem().Open(TestPath, FileOpening.ReadWrite)!;
        Assert.True(file.TryLock(1L << 62));
    }

    [Fact(Explicit = true)]
    public void Creates_files()
    {
        var fileSystem = CreateFileSystem();
        for (var at = 0; at < FilesTraced; at++)
        {
            using var file = fileSystem.CreateNew(Path.Combine(TestPath, $"traced-{at}.json"))!;
            file.Write("{}"u8, 0);
            file.Flush();
        }
    }

    [Fact(Explicit = true)]
    public void Flushes_a_range()
    {
        using var file = CreateFileSystem().CreateNew(Path.Combine(TestPath, "traced.json"))!;
        file.Write("{}"u8, 0);
        file.BeginFlushRange();
        file.FlushRange();
    }

    /// <summary>Runs one of the above in a process of its own, perhaps under another program, and asserts that it passed.</summary>
    internal static void Run(string test, IFileSystem fileSystem, string path, params string[] under)
    {
        var assembly = typeof(RealFileSystemChild).Assembly.Location;
        var executable = Path.ChangeExtension(assembly, OperatingSystem.IsWindows() ? ".exe" : null);
        string[] command =
            [.. under, .. File.Exists(executable)
                ? [executable]
                : new[] { "dotnet", assembly }, "-method", $"{typeof(RealFileSystemChild).FullName}.{test}", "-explicit", "only"];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment[PathVariable] = path;
        start.Environment[PortableVariable] = fileSystem is PortableFileSystem ? "1" : null;
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0 && output.Contains("Total: 1,", StringComparison.Ordinal), output + errors.Result);
    }

    private static IFileSystem CreateFileSystem() =>
        Environment.GetEnvironmentVariable(PortableVariable) == "1" ? new PortableFileSystem() : RealFileSystem.Create();
}
