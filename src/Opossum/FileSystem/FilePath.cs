namespace Opossum.FileSystem;

/// <summary>Joins paths and takes them apart.</summary>
internal static class FilePath
{
    /// <summary>
    /// Joins a folder and what lies in it, with the separator that the folder's path has: paths of the simulated disk have slashes on every
    /// system, those of Windows always a backslash.
    /// </summary>
    public static string Join(string folder, string name) =>
        Path.EndsInDirectorySeparator(folder) ? folder + name : $"{folder}{SeparatorOf(folder)}{name}";

    /// <inheritdoc cref="Join(string, string)"/>
    public static string Join(string folder, string name, string nameInThat) => Join(Join(folder, name), nameInThat);

    /// <summary>The folder that a path leads into, with the separator that the path has; null when it is a root.</summary>
    public static string? FolderOf(string path) => Path.GetDirectoryName(path)?.Replace(Path.DirectorySeparatorChar, SeparatorOf(path));

    /// <summary>The separator of a path.</summary>
    public static char SeparatorOf(string path) => path.Contains(Path.DirectorySeparatorChar) ? Path.DirectorySeparatorChar : Path.AltDirectorySeparatorChar;
}
