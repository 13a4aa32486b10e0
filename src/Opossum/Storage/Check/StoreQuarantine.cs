using System.Globalization;

namespace Opossum;

/// <summary>What lies in a store's folder Quarantine: what recovery and repairs have set aside. It is no damage; somebody should look at it.</summary>
/// <param name="Folder">The folder.</param>
/// <param name="Files">How many files lie in it; null when this user may not look into all of it.</param>
/// <param name="Since">When the oldest of them were put there, as the name of their folder says; null when no name says it.</param>
public sealed record StoreQuarantine(string Folder, long? Files, DateTimeOffset? Since)
{
    /// <summary>The same as one line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{(Files is { } count ? $"{count} {(count == 1 ? "file lies" : "files lie")}" : "Files lie")} in Quarantine{(Since is { } since ? $" since {since.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z" : "")}: {Folder}");
}
