namespace Opossum.ProcessTests.Worker;

/// <summary>
/// How many positions a folder of event files has. Tests of many folders have few, by a setting in their runtimeconfig.json, and so have their
/// workers.
/// </summary>
internal static class FolderLength
{
    public const string Argument = "--folder-length";

    /// <summary>Uses a length; called before anything else. Returns the other arguments.</summary>
    public static string[] Use(string positions, string[] arguments)
    {
        AppContext.SetData("Opossum.ShardPositions", positions);
        return arguments;
    }
}
