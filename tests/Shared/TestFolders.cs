using System.Runtime.CompilerServices;

namespace Opossum.Tests;

/// <summary>
/// Where tests create folders. Most need files, but no disk: they use a file system in memory where the machine has one with room, because on a disk
/// the tests' hundred thousand files take longer than all else.
/// </summary>
internal static class TestFolders
{
    private const string Memory = "/dev/shm", Variable = "TMPDIR";
    private const long BytesMin = 2L * 1024 * 1024 * 1024;

    /// <summary>The machine's folder for temporary files.</summary>
    public static string OnDisk { get; private set; } = "";

    /// <summary>Creates a folder for a test of the disk's file system.</summary>
    public static string CreateOnDisk() => Directory.CreateDirectory(Path.Combine(OnDisk, $"opossum-{Guid.NewGuid():N}")).FullName;

    [ModuleInitializer]
    internal static void UseMemory()
    {
        // Order matters: the variable changes what the system says.
        OnDisk = Path.GetTempPath();
        if (OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable(Variable) is null && HasRoom())
            Environment.SetEnvironmentVariable(Variable, Memory);
    }

    private static bool HasRoom()
    {
        try
        {
            return new DriveInfo(Memory) is { DriveFormat: "tmpfs" } memory && memory.AvailableFreeSpace >= BytesMin;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }
}
