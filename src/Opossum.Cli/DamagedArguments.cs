using System.Globalization;
using System.Text;
using System.Text.Unicode;

namespace Opossum.Cli;

/// <summary>Finds arguments that are not the text that the user typed: what follows from them would be stored damaged.</summary>
internal static class DamagedArguments
{
    private const char Replacement = '\uFFFD';

    /// <summary>What is wrong with the first damaged argument; null: nothing is.</summary>
    public static string? Find(IReadOnlyList<string> arguments)
    {
        for (var at = 0; at < arguments.Count; at++)
        {
            if (HasHalfCharacter(arguments[at]) || (arguments[at].Contains(Replacement) && !AreBytesValid()))
            {
                return string.Create(CultureInfo.InvariantCulture, $"Argument {at + 1} is not valid Unicode text. On Linux and macOS, arguments must "
                    + $"be UTF-8: set the terminal and the script to UTF-8, or pass the text in a file. Nothing was done.");
            }
        }
        return null;
    }

    private static bool HasHalfCharacter(string text)
    {
        for (var rest = text.AsSpan(); !rest.IsEmpty;)
        {
            if (Rune.DecodeFromUtf16(rest, out _, out var length) != System.Buffers.OperationStatus.Done)
                return true;
            rest = rest[length..];
        }
        return false;
    }

    // The runtime replaces each byte that is not UTF-8 by this character, which an argument may also hold as it is.
    private static bool AreBytesValid()
    {
        try
        {
            return OperatingSystem.IsWindows() || (OperatingSystem.IsLinux() && Utf8.IsValid(File.ReadAllBytes("/proc/self/cmdline")));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
