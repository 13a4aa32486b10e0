namespace Opossum.Benchmarks;

/// <summary>How this program is started again, as a process of its own.</summary>
internal static class OwnProgram
{
    public static string[] Command(params string[] arguments) =>
        [Environment.ProcessPath!, .. Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? [typeof(OwnProgram).Assembly.Location] : Array.Empty<string>(), .. arguments];
}
