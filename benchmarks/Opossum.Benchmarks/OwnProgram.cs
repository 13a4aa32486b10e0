namespace Opossum.Benchmarks;

/// <summary>Starts this program again as a separate process.</summary>
internal static class OwnProgram
{
    public static string[] Command(params string[] arguments) =>
        [Environment.ProcessPath!, .. Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet"
            ? [typeof(OwnProgram).Assembly.Location]
            : Array.Empty<string>(), .. arguments];
}
