using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Distinguishes links from other files and folders with a reparse point: OneDrive, deduplication and compression use them too.</summary>
internal static unsafe class WindowsLink
{
    private const uint NameSurrogate = 0x20000000;

    // Created by the Windows Subsystem for Linux: IO_REPARSE_TAG_AF_UNIX, IO_REPARSE_TAG_LX_FIFO, _LX_CHR, _LX_BLK.
    private const uint Socket = 0x80000023;
    private const uint Pipe = 0x80000024;
    private const uint CharacterDevice = 0x80000025;
    private const uint BlockDevice = 0x80000026;

    /// <summary>Whether the tag marks a name for something elsewhere (IsReparseTagNameSurrogate): symbolic link, junction, mounted volume.</summary>
    public static bool IsLink(uint tag) => (tag & NameSurrogate) != 0;

    /// <summary>Whether the tag marks a pipe, a socket or a device.</summary>
    public static bool IsNoFile(uint tag) => tag is Socket or Pipe or CharacterDevice or BlockDevice;

    /// <summary>Returns the reparse tag of an opened file or folder; null when it has none.</summary>
    [SupportedOSPlatform("windows")]
    public static uint? TagOf(SafeFileHandle opened, string path)
    {
        Kernel32.FileAttributeTagInformation information;
        if (!Kernel32.GetInformation(opened, Kernel32.AttributeTagInformation, &information, (uint)sizeof(Kernel32.FileAttributeTagInformation)))
            return WindowsError.WasUnknown ? null : throw WindowsError.Failure("look at", path);
        return (information.Attributes & Kernel32.IsReparsePoint) != 0 ? information.ReparseTag : null;
    }
}
