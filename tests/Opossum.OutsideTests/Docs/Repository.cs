namespace Opossum.DocTests;

/// <summary>The repository that these tests were built from.</summary>
internal static class Repository
{
    public static string Root { get; } = FindRoot();

    public static IReadOnlyList<string> Documents { get; } =
        [.. new[] { "README.md", "CONTRIBUTING.md", "SECURITY.md" }.Select(name => Path.Combine(Root, name)), .. Directory.GetFiles(Path.Combine(Root, "docs"), "*.md", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];

    public static IReadOnlyList<string> Snippets { get; } =
        [.. Directory.GetFiles(Path.Combine(Root, "tests", "Opossum.OutsideTests", "Docs"), "*.cs").Order(StringComparer.Ordinal)];

    public static string[] TestFiles { get; } =
        [.. Directory.GetFiles(Path.Combine(Root, "tests"), "*Tests.cs", SearchOption.AllDirectories).Select(NameOf)];

    public static string NameOf(string path) => Path.GetRelativePath(Root, path).Replace('\\', '/');

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
