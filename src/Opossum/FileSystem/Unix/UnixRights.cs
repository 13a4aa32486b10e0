namespace Opossum.FileSystem.Unix;

/// <summary>The rights to a file, where nine bits hold them.</summary>
internal static class UnixRights
{
    /// <summary>
    /// Removes the right to read from the group and from others if they have no right to write. Never fails. Does nothing on Windows.
    /// </summary>
    public static void DenyReadingWithoutWriting(string path)
    {
        if (OperatingSystem.IsWindows())
            return;
        try
        {
            var rights = File.GetUnixFileMode(path);
            var denied = (rights & UnixFileMode.GroupWrite) == 0 ? UnixFileMode.GroupRead : 0;
            denied |= (rights & UnixFileMode.OtherWrite) == 0 ? UnixFileMode.OtherRead : 0;
            if ((rights & denied) != 0)
                File.SetUnixFileMode(path, rights & ~denied);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Another user's file, or a file system without such rights.
        }
    }
}
