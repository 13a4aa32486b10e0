namespace Opossum.Tests.Architecture;

/// <summary>The repository that these tests were built from.</summary>
internal static class SourceTree
{
    public static string Root { get; } = FindRoot();

    public static string Library => Path.Combine(Root, "src", "Opossum");

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
