using System.Globalization;

namespace Opossum.Diagnostics;

/// <summary>The description of this process in messages and lock files.</summary>
internal static class ThisProcess
{
    public static string Description { get; } = string.Create(CultureInfo.InvariantCulture,
        $"process {Environment.ProcessId} ({Path.GetFileNameWithoutExtension(Environment.ProcessPath)}) on {Environment.MachineName}");

    /// <summary>Whether a text, such as that of a lock file, begins with the description of this process, as words of their own.</summary>
    public static bool IsNamedBy(string text) => text.StartsWith($"{Description} ", StringComparison.Ordinal);
}
