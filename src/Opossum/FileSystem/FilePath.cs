namespace Opossum.FileSystem;

/// <summary>Joins and splits paths.</summary>
internal static class FilePath
{
    /// <summary>
    /// Joins a folder and a name in it with the separator that the folder's path uses: paths of the simulated disk use slashes on every
    /// system, those of Windows always backslashes.
    /// </summary>
    public static string Join(string folder, string name) =>
        Path.EndsInDirectorySeparator(folder) ? folder + name : $"{folder}{SeparatorOf(folder)}{name}";

    /// <inheritdoc cref="Join(string, string)"/>
    public static string Join(string folder, string name, string nameInThat) => Join(Join(folder, name), nameInThat);

    /// <summary>The folder of a path, with the separator that the path uses; null for a root.</summary>
    public static string? FolderOf(string path) => Path.GetDirectoryName(path)?.Replace(Path.DirectorySeparatorChar, SeparatorOf(path));

    /// <summary>Whether a path leads into a folder, by their texts.</summary>
    public static bool IsIn(string path, string folder) =>
        path.StartsWith(Join(folder, ""), OperatingSystem.IsLinux() ? StringComparison.Ordinal : StringComparison.OrdinalIgnoreCase);

    public static char SeparatorOf(string path) =>
        path.Contains(Path.DirectorySeparatorChar) ? Path.DirectorySeparatorChar : Path.AltDirectorySeparatorChar;
}
