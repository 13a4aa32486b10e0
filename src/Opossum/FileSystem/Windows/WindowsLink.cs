using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Opossum.FileSystem.Windows;

/// <summary>Tells links from the other files and folders that have a reparse point: OneDrive, deduplication and compression use them too.</summary>
internal static unsafe class WindowsLink
{
    private const uint NameSurrogate = 0x20000000;

    // What Linux for Windows makes: IO_REPARSE_TAG_AF_UNIX, IO_REPARSE_TAG_LX_FIFO, _LX_CHR, _LX_BLK.
    private const uint Socket = 0x80000023;
    private const uint Pipe = 0x80000024;
    private const uint CharacterDevice = 0x80000025;
    private const uint BlockDevice = 0x80000026;

    /// <summary>Whether the tag says that the name stands for something that lies elsewhere (IsReparseTagNameSurrogate): symbolic links, junctions, mounted volumes.</summary>
    public static bool IsLink(uint tag) => (tag & NameSurrogate) != 0;

    /// <summary>Whether the tag is that of a pipe, a socket or a device.</summary>
    public static bool IsNoFile(uint tag) => tag is Socket or Pipe or CharacterDevice or BlockDevice;

    /// <summary>The tag of what was opened itself; null: it has none.</summary>
    [SupportedOSPlatform("windows")]
    public static uint? TagOf(SafeFileHandle opened, string path)
    {
        Kernel32.FileAttributeTagInformation information;
        if (!Kernel32.GetInformation(opened, Kernel32.AttributeTagInformation, &information, (uint)sizeof(Kernel32.FileAttributeTagInformation)))
            return WindowsError.WasUnknown ? null : throw WindowsError.Failure("look at", path);
        return (information.Attributes & Kernel32.IsReparsePoint) != 0 ? information.ReparseTag : null;
    }
}
