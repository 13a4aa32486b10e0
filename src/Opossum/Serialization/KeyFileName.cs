using System.Buffers;
using System.Security.Cryptography;
using System.Text;

namespace Opossum.Serialization;

/// <summary>
/// The file names of keys: different keys have different names, even where case is ignored (Windows, SMB, macOS), and every name is allowed on
/// every file system.
/// </summary>
internal static class KeyFileName
{
    /// <summary>A longer encoded key keeps a readable beginning and gets a hash.</summary>
    public const int LengthMax = 100;

    private const int PrefixLength = 32;

    // Encoding never produces this text, so a hashed name is never the name of another key.
    private const char HashMark = '~';

    private static readonly SearchValues<char> plain = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-_");
    private static readonly SearchValues<char> encoded = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-_%~");
    private static readonly UTF8Encoding strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The file's name, without its extension.</summary>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    public static string Of(string key)
    {
        Check(key);
        if (key.Length <= LengthMax && !key.AsSpan().ContainsAnyExcept(plain) && !NameRules.IsDeviceName(key))
            return key;
        var bytes = strict.GetBytes(key);
        var name = new StringBuilder(LengthMax);
        foreach (var octet in bytes)
        {
            if (name.Length > LengthMax)
                break;
            // "con.json" is a device too.
            if (plain.Contains((char)octet) && (name.Length > 0 || !NameRules.IsDeviceName(key)))
                name.Append((char)octet);
            else
                name.Append('%').Append(Convert.ToHexStringLower([octet]));
        }
        return name.Length <= LengthMax
            ? name.ToString()
            : name.ToString(0, PrefixLength) + HashMark + Convert.ToHexStringLower(SHA256.HashData(bytes));
    }

    /// <summary>Whether a name contains only the characters of key file names.</summary>
    public static bool CanBe(ReadOnlySpan<char> name) => name.Length > 0 && !name.ContainsAnyExcept(encoded);

    /// <summary>Throws if the key is not allowed.</summary>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    public static void Check(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length == 0)
            throw new ArgumentException("The key of a state is empty.", nameof(key));
        NameRules.CheckUnicode(key, "The key of a state", nameof(key));
    }
}
