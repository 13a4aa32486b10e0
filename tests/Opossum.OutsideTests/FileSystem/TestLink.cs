namespace Opossum.Tests.FileSystem;

/// <summary>
/// Makes links; the test is skipped where that cannot be done: on Windows those of files take a right that few have, and Wine makes none.
/// </summary>
internal static class TestLink
{
    public static void ToFile(string path, string target)
    {
        try
        {
            File.CreateSymbolicLink(path, target);
        }
        catch (Exception e) when (OperatingSystem.IsWindows() && e is IOException or UnauthorizedAccessException)
        {
            Assert.Skip("this user may not make links");
        }
        SkipUnlessMade(path);
    }

    /// <summary>A junction on Windows, which takes no right.</summary>
    public static void ToFolder(string path, string target)
    {
        if (OperatingSystem.IsWindows())
            RealMount.Run("cmd", "/c", "mklink", "/J", path, target);
        else
            Directory.CreateSymbolicLink(path, target);
        SkipUnlessMade(path);
    }

    private static void SkipUnlessMade(string path) => Assert.SkipUnless(new FileInfo(path).LinkTarget is not null, "links cannot be made here");
}
