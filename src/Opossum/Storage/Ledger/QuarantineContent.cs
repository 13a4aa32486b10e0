using System.Globalization;

namespace Opossum.Maintenance;

/// <summary>The content of a store's Quarantine folder: files that recovery and repairs set aside. Not damage, but an operator should look.</summary>
public sealed record QuarantineContent
{
    /// <summary>The folder.</summary>
    public required string Folder { get; init; }

    /// <summary>The number of files in it; null when this user cannot list all of it.</summary>
    public required long? Files { get; init; }

    /// <summary>
    /// When the oldest of them were put there, taken from the name of their folder; null when no name gives a time.
    /// </summary>
    public required DateTimeOffset? Since { get; init; }

    /// <summary>The same as a single line.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{(Files is { } count ? $"{count} {(count == 1 ? "file lies" : "files lie")}" : "Files lie")} in "
            + $"Quarantine{(Since is { } since ? $" since {since.UtcDateTime:yyyy-MM-dd HH:mm:ss}Z" : "")}: {Folder}");
}
