using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Every name and format number in the folder of a projection; the twin of its section in docs/storage-format.md.</summary>
internal sealed class ProjectionLayout(string projectionsFolder, string name)
{
    /// <summary>Written to model.json. States of a higher format are left alone.</summary>
    public const int Format = 1;

    /// <summary>So many folders hold the states of a generation.</summary>
    public const int Buckets = 256;

    private const string StagingEnding = ".new";
    private const string Ending = ".json";

    public string Root { get; } = FilePath.Join(projectionsFolder, name);

    public string LockFile { get; } = FilePath.Join(projectionsFolder, name, ".lock");

    /// <summary>What somebody asks of the leader, a file each.</summary>
    public string Requests { get; } = FilePath.Join(projectionsFolder, name, "requests");

    /// <summary>The events that were skipped, a file each.</summary>
    public string Skipped { get; } = FilePath.Join(projectionsFolder, name, "skipped");

    public string RequestFile(Guid id) => FilePath.Join(Requests, $"{id:n}{Ending}");

    public static bool TryParseRequest(string fileName, out Guid id)
    {
        id = default;
        return fileName.EndsWith(Ending, StringComparison.Ordinal) && Guid.TryParseExact(fileName.AsSpan(0, fileName.Length - Ending.Length), "N", out id);
    }

    public string SkipFile(int version, long position) => FilePath.Join(Skipped, string.Create(CultureInfo.InvariantCulture, $"{version}-{position:D10}{Ending}"));

    public static bool TryParseSkip(string fileName, out int version, out long position)
    {
        (version, position) = (0, 0);
        var dash = fileName.IndexOf('-', StringComparison.Ordinal);
        return dash > 0 && fileName.EndsWith(Ending, StringComparison.Ordinal)
            && int.TryParse(fileName.AsSpan(0, dash), NumberStyles.None, CultureInfo.InvariantCulture, out version)
            && long.TryParse(fileName.AsSpan(dash + 1, fileName.Length - Ending.Length - dash - 1), NumberStyles.None, CultureInfo.InvariantCulture, out position);
    }

    public Generation Generation(GenerationKind kind, long number) => new(Root, kind, number);

    /// <summary>The name a whole small file has until it takes its own.</summary>
    public static string StagingOf(string file) => file + StagingEnding;
}
