using System.Buffers;
using System.Globalization;
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
        // "con.json" is a device too.
        var name = Encode(bytes, NameRules.IsDeviceName(key), LengthMax);
        return name.Length <= LengthMax
            ? name
            : name[..PrefixLength] + HashMark + Convert.ToHexStringLower(SHA256.HashData(bytes));
    }

    /// <summary>What the names of the keys that start with a text start with; see <see cref="MayStartWith"/>.</summary>
    /// <exception cref="ArgumentException">The text is not valid Unicode.</exception>
    public static string StartOf(string keyStart)
    {
        ArgumentNullException.ThrowIfNull(keyStart);
        NameRules.CheckUnicode(keyStart, "The beginning of a key", nameof(keyStart));
        return Encode(strict.GetBytes(keyStart), encodesFirst: false, LengthMax);
    }

    /// <summary>
    /// Whether a key with this name may start with the text of a <see cref="StartOf"/>. Of a hashed name, only the key itself can show it.
    /// </summary>
    public static bool MayStartWith(ReadOnlySpan<char> name, ReadOnlySpan<char> start)
    {
        var isHashed = name.Length > PrefixLength && name[PrefixLength] == HashMark;
        var readable = isHashed ? name[..PrefixLength] : name;
        // The first letter of a device's name is encoded, although it is plain.
        if (!start.IsEmpty && readable.Length > 2 && readable[0] == '%'
            && byte.TryParse(readable[1..3], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var first)
            && plain.Contains((char)first))
        {
            if (start[0] != first)
                return false;
            readable = readable[3..];
            start = start[1..];
        }
        return readable.StartsWith(start, StringComparison.Ordinal) || (isHashed && start.StartsWith(readable, StringComparison.Ordinal));
    }

    /// <summary>Whether a name contains only the characters of key file names.</summary>
    public static bool CanBe(ReadOnlySpan<char> name) => name.Length > 0 && !name.ContainsAnyExcept(encoded);

    // What is longer than the limit is cut off somewhere after it.
    private static string Encode(ReadOnlySpan<byte> bytes, bool encodesFirst, int lengthMax)
    {
        var name = new StringBuilder(lengthMax);
        foreach (var octet in bytes)
        {
            if (name.Length > lengthMax)
                break;
            if (plain.Contains((char)octet) && (name.Length > 0 || !encodesFirst))
                name.Append((char)octet);
            else
                name.Append('%').Append(Convert.ToHexStringLower([octet]));
        }
        return name.ToString();
    }

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
