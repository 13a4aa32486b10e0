using System.Globalization;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>Every name and format number in the folder of a projection; docs/storage-format-of-features.md describes the same names.</summary>
internal sealed class ProjectionLayout(string projectionsFolder, string name) : LedFolder(projectionsFolder, name)
{
    /// <summary>The format in model.json. States of a higher format are not touched.</summary>
    public const int Format = 1;

    /// <summary>The number of folders that contain the states of a generation.</summary>
    public const int Buckets = 256;

    /// <summary>The maximum length of a state's file. A longer file is not written, and an existing one counts as damaged.</summary>
    public const int StateBytesMax = 64 * 1024 * 1024;

    /// <summary>The maximum number of requests that one build fulfils; its model.json lists them.</summary>
    public const int RequestsMax = 1_000;

    private const string Ending = ".json";

    /// <summary>The skipped events, one file each.</summary>
    public string Skipped { get; } = FilePath.Join(projectionsFolder, name, "skipped");

    /// <summary>What the row in the database was, if the projection keeps its rows there.</summary>
    public string RowFile { get; } = FilePath.Join(projectionsFolder, name, "database.json");

    public override long? NumberOf(string folderName) => States.Generation.Parse(Root, folderName)?.Number;

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
}
