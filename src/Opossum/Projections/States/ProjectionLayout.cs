using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>Every name and format number in the folder of a projection; docs/storage-format.md describes the same names.</summary>
internal sealed class ProjectionLayout(string projectionsFolder, string name)
{
    /// <summary>The format in model.json. States of a higher format are not touched.</summary>
    public const int Format = 1;

    /// <summary>The number of folders that contain the states of a generation.</summary>
    public const int Buckets = 256;

    /// <summary>The maximum length of a JSON file other than a state's; a longer file counts as damaged.</summary>
    public const int FileBytesMax = 64 * 1024;

    /// <summary>The maximum length of a state's file. A longer file is not written, and an existing one counts as damaged.</summary>
    public const int StateBytesMax = 64 * 1024 * 1024;

    /// <summary>
    /// The maximum length of an error or a reason in these files, in UTF-16 code units; only the beginning of a longer error is kept.
    /// </summary>
    public const int TextLengthMax = 4_000;

    /// <summary>The maximum number of requests that one build fulfils; its model.json lists them.</summary>
    public const int RequestsMax = 1_000;

    /// <summary>The highest number in a name: no store reaches it in practice, and counting on from it does not overflow.</summary>
    public const long NumberMax = 999_999_999_999_999;

    private const string StagingEnding = ".new";
    private const string Ending = ".json";

    public string Root { get; } = FilePath.Join(projectionsFolder, name);

    public string LockFile { get; } = FilePath.Join(projectionsFolder, name, ".lock");

    /// <summary>The requests to the leader, one file each.</summary>
    public string Requests { get; } = FilePath.Join(projectionsFolder, name, "requests");

    /// <summary>The skipped events, one file each.</summary>
    public string Skipped { get; } = FilePath.Join(projectionsFolder, name, "skipped");

    public string RequestFile(Guid id) => FilePath.Join(Requests, $"{id:n}{Ending}");

    public static bool TryParseRequest(string fileName, out Guid id)
    {
        id = default;
        return fileName.EndsWith(Ending, StringComparison.Ordinal)
            && Guid.TryParseExact(fileName.AsSpan(0, fileName.Length - Ending.Length), "N", out id);
    }

    public string SkipFile(int version, long position) =>
        FilePath.Join(Skipped, string.Create(CultureInfo.InvariantCulture, $"{version}-{position:D10}{Ending}"));

    public static bool TryParseSkip(string fileName, out int version, out long position)
    {
        (version, position) = (0, 0);
        var dash = fileName.IndexOf('-', StringComparison.Ordinal);
        return dash > 0 && fileName.EndsWith(Ending, StringComparison.Ordinal)
            && int.TryParse(fileName.AsSpan(0, dash), NumberStyles.None, CultureInfo.InvariantCulture, out version)
            && long.TryParse(fileName.AsSpan(dash + 1, fileName.Length - Ending.Length - dash - 1), NumberStyles.None, CultureInfo.InvariantCulture,
            out position);
    }

    public Generation Generation(GenerationKind kind, long number) => new(Root, kind, number);

    /// <summary>The temporary name of a small file until it is renamed to its final name.</summary>
    public static string StagingOf(string file) => file + StagingEnding;
}
