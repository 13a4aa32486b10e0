using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>Every name and format number in the folder of a projection; the twin of its section in docs/storage-format.md.</summary>
internal sealed class ProjectionLayout(string projectionsFolder, string name)
{
    /// <summary>Written to model.json. States of a higher format are left alone.</summary>
    public const int Format = 1;

    /// <summary>So many folders hold the states of a generation.</summary>
    public const int Buckets = 256;

    /// <summary>The longest JSON file but a state's; a longer one is taken for damaged.</summary>
    public const int FileBytesMax = 64 * 1024;

    /// <summary>The longest file of a state. A longer one is not written, and taken for damaged when it is there.</summary>
    public const int StateBytesMax = 64 * 1024 * 1024;

    /// <summary>The longest text of an error or a reason in these files, in UTF-16 code units; of a longer error the beginning is kept.</summary>
    public const int TextLengthMax = 4_000;

    /// <summary>So many requests are fulfilled by one build, which names them all in its model.json.</summary>
    public const int RequestsMax = 1_000;

    /// <summary>No number in a name is higher: terms would last for ages before they come to it, and it can be counted on from.</summary>
    public const long NumberMax = 999_999_999_999_999;

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
