using System.Globalization;
using System.Security.Cryptography;

namespace Opossum.PowerCuts;

/// <summary>The file of an event in folders of 20 positions.</summary>
internal static class EventFile
{
    private const int FolderLength = 20;

    public static string PathOf(string store, long position) => Path.Combine(store, "Events",
        Name(position / FolderLength * FolderLength), $"{Name(position)}.json");

    public static string HashOf(byte[] bytes) => Convert.ToHexString(SHA256.HashData(bytes));

    private static string Name(long number) => number.ToString("D10", CultureInfo.InvariantCulture);
}
