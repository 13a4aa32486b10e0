using System.Globalization;

namespace Opossum.Diagnostics;

/// <summary>How this process is named to people.</summary>
internal static class ThisProcess
{
    public static string Description { get; } = string.Create(CultureInfo.InvariantCulture,
        $"process {Environment.ProcessId} ({Path.GetFileNameWithoutExtension(Environment.ProcessPath)}) on {Environment.MachineName}");
}
