namespace Opossum.FileSystem.Windows;

/// <summary>How Windows writes paths.</summary>
internal static class WindowsPath
{
    private const string Verbatim = @"\\?\";
    private const string VerbatimShare = @"\\?\UNC\";
    private const string Device = @"\\.\";

    // A folder's path must leave room for a name of 12 characters in the 260 that all calls take.
    private const int PlainLengthMax = 247;

    /// <summary>A path of any length as the system takes it; .NET does the same in its own calls.</summary>
    public static string ForCall(string path)
    {
        if (path.Length <= PlainLengthMax || path.StartsWith(Verbatim, StringComparison.Ordinal) || path.StartsWith(Device, StringComparison.Ordinal))
            return path;
        path = Path.GetFullPath(path);
        return path.StartsWith(@"\\", StringComparison.Ordinal) ? VerbatimShare + path[2..] : Verbatim + path;
    }

    /// <summary>Whether a path leads to another machine: \\server\share and \\?\UNC\server\share, but not \\?\C:\.</summary>
    public static bool IsShare(string path) => path.StartsWith(VerbatimShare, StringComparison.OrdinalIgnoreCase)
        || (path.StartsWith(@"\\", StringComparison.Ordinal) && !path.StartsWith(Verbatim, StringComparison.Ordinal) && !path.StartsWith(Device, StringComparison.Ordinal));

    /// <summary>The root of the drive that a path of the form \\?\C:\folder begins with; null when it begins with none.</summary>
    public static string? DriveOf(string path)
    {
        var plain = path.AsSpan(path.StartsWith(Verbatim, StringComparison.Ordinal) || path.StartsWith(Device, StringComparison.Ordinal) ? Verbatim.Length : 0);
        return plain.Length >= 2 && char.IsAsciiLetter(plain[0]) && plain[1] == ':' ? $@"{plain[0]}:\" : null;
    }
}
