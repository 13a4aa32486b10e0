namespace Opossum.FileSystem.Windows;

/// <summary>The forms of Windows paths.</summary>
internal static class WindowsPath
{
    private const string Verbatim = @"\\?\";
    private const string VerbatimShare = @"\\?\UNC\";
    private const string Device = @"\\.\";

    // All calls take paths of 260 characters, and a folder's path must leave room for a name of 12.
    private const int PlainLengthMax = 247;

    /// <summary>Converts a path of any length to a form that the system accepts, as .NET does in its own calls.</summary>
    public static string ForCall(string path)
    {
        if (path.Length <= PlainLengthMax || path.StartsWith(Verbatim, StringComparison.Ordinal) || path.StartsWith(Device, StringComparison.Ordinal))
            return path;
        path = Path.GetFullPath(path);
        return path.StartsWith(@"\\", StringComparison.Ordinal) ? VerbatimShare + path[2..] : Verbatim + path;
    }

    /// <summary>Whether a path leads to another machine: \\server\share and \\?\UNC\server\share, but not \\?\C:\.</summary>
    public static bool IsShare(string path) => path.StartsWith(VerbatimShare, StringComparison.OrdinalIgnoreCase)
        || (path.StartsWith(@"\\", StringComparison.Ordinal) && !path.StartsWith(Verbatim, StringComparison.Ordinal)
        && !path.StartsWith(Device, StringComparison.Ordinal));

    /// <summary>The drive root at the start of a path of the form \\?\C:\folder; null when there is none.</summary>
    public static string? DriveOf(string path)
    {
        var plain =
            path.AsSpan(path.StartsWith(Verbatim, StringComparison.Ordinal) || path.StartsWith(Device, StringComparison.Ordinal)
                ? Verbatim.Length
                : 0);
        return plain.Length >= 2 && char.IsAsciiLetter(plain[0]) && plain[1] == ':' ? $@"{plain[0]}:\" : null;
    }
}
