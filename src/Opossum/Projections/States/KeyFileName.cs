using System.Buffers;
using System.Security.Cryptography;
using System.Text;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>
/// Names for the files of keys: different keys have different names, also where upper and lower case are one (Windows, SMB, macOS), and
/// every name is allowed on every file system.
/// </summary>
internal static class KeyFileName
{
    /// <summary>What is longer when encoded keeps a readable beginning and is told apart by a hash.</summary>
    public const int LengthMax = 100;

    private const int PrefixLength = 32;

    // What a name is never encoded to; so a hashed name is never that of another key.
    private const char HashMark = '~';

    private static readonly SearchValues<char> plain = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-_");
    private static readonly SearchValues<char> encoded = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-_%~");
    private static readonly UTF8Encoding strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The file's name, without ending.</summary>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    public static string Of(string key)
    {
        Check(key);
        if (key.Length <= LengthMax && !key.AsSpan().ContainsAnyExcept(plain) && !IsDeviceName(key))
            return key;
        var bytes = strict.GetBytes(key);
        var name = new StringBuilder(LengthMax);
        foreach (var octet in bytes)
        {
            if (name.Length > LengthMax)
                break;
            // "con.json" is a device too.
            if (plain.Contains((char)octet) && (name.Length > 0 || !IsDeviceName(key)))
                name.Append((char)octet);
            else
                name.Append('%').Append(Convert.ToHexStringLower([octet]));
        }
        return name.Length <= LengthMax ? name.ToString() : name.ToString(0, PrefixLength) + HashMark + Convert.ToHexStringLower(SHA256.HashData(bytes));
    }

    /// <summary>Whether a name is made of what names of keys are made of.</summary>
    public static bool CanBe(ReadOnlySpan<char> name) => name.Length > 0 && !name.ContainsAnyExcept(encoded);

    /// <summary>The folder, of 256, that the key's file lies in.</summary>
    public static int BucketOf(string key) => (int)(Crc32C.Of(strict.GetBytes(key)) % ProjectionLayout.Buckets);

    /// <summary>Throws if there can be no state of that key.</summary>
    /// <exception cref="ArgumentException">The key is empty or not valid Unicode.</exception>
    public static void Check(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length == 0)
            throw new ArgumentException("The key of a state is empty.", nameof(key));
        NameRules.CheckUnicode(key, "The key of a state", nameof(key));
    }

    /// <summary>Whether Windows takes the name for a device, whatever its ending.</summary>
    public static bool IsDeviceName(string name) => name is "con" or "prn" or "aux" or "nul"
        || (name.Length == 4 && char.IsAsciiDigit(name[3]) && name[..3] is "com" or "lpt");
}
