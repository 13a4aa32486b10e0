namespace Opossum.Tests.Architecture;

/// <summary>The repository that these tests were built from.</summary>
internal static class SourceTree
{
    public static string Root { get; } = FindRoot();

    public static string Library => Path.Combine(Root, "src", "Opossum");

    /// <summary>All files of C# that somebody wrote.</summary>
    public static IEnumerable<string> CSharpFiles =>
        from folder in (string[])["src", "tests", "samples", "benchmarks"]
        from file in Directory.EnumerateFiles(Path.Combine(Root, folder), "*.cs", SearchOption.AllDirectories)
        where !Path.GetRelativePath(Root, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj")
        select file;

    /// <summary>What a project was built to, in the configuration of these tests.</summary>
    public static string AssemblyOf(params ReadOnlySpan<string> project)
    {
        var configuration = Path.GetFileName(Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory)))!;
        return Path.Combine([Root, .. project, "bin", configuration, "net10.0", $"{project[^1]}.dll"]);
    }

    private static string FindRoot()
    {
        for (var folder = AppContext.BaseDirectory; folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (File.Exists(Path.Combine(folder, "Opossum.sln")))
                return folder;
        }
        throw new InvalidOperationException($"No folder above {AppContext.BaseDirectory} holds Opossum.sln; run the tests inside the repository.");
    }
}
