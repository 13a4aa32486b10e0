namespace Opossum.FileSystem;

/// <summary>Joins the parts of paths.</summary>
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

    /// <summary>The separator of a path.</summary>
    public static char SeparatorOf(string path) => path.Contains(Path.DirectorySeparatorChar) ? Path.DirectorySeparatorChar : Path.AltDirectorySeparatorChar;
}
