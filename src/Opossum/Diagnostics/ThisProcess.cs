using System.Globalization;

namespace Opossum.Diagnostics;

/// <summary>The description of this process in messages and lock files.</summary>
internal static class ThisProcess
{
    public static string Description { get; } = string.Create(CultureInfo.InvariantCulture,
        $"process {Environment.ProcessId} ({Path.GetFileNameWithoutExtension(Environment.ProcessPath)}) on {Environment.MachineName}");
}
