namespace Opossum.SampleTests;

/// <summary>A Chromium that is installed on this machine; none is ever downloaded.</summary>
internal static class Chromium
{
    private static readonly string[] names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

    /// <summary>The program, or null: the one that the environment variable CHROMIUM names, or one on the path.</summary>
    public static string? Find()
    {
        if (Environment.GetEnvironmentVariable("CHROMIUM") is { Length: > 0 } named)
            return named;
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        return folders.SelectMany(folder => names, Path.Combine).FirstOrDefault(File.Exists);
    }
}
