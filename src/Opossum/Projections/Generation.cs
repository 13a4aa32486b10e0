using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>
/// A folder with one build of all states. Whoever takes the lead gives it a new number and so a new path, and then nothing that a former
/// leader still does by the old path reaches it. What a leader writes more than once, or through a handle kept open, has the leader's number
/// (its term) in its name.
/// </summary>
internal sealed record Generation(string Parent, GenerationKind Kind, long Number)
{
    private const string StatesName = "states";
    private const string CheckpointName = "checkpoint";
    private const string TagsName = "tags";
    private const string StagingName = "staging";
    private const string JsonEnding = ".json";
    private const string LogEnding = ".log";

    public string Folder { get; } = FilePath.Join(Parent, $"{NameOf(Kind)}.{Digits(Number)}");

    public string ModelFile => FilePath.Join(Folder, "model.json");

    public string FaultFile => FilePath.Join(Folder, "fault.json");

    public string States => FilePath.Join(Folder, StatesName);

    public string Bucket(int bucket) => FilePath.Join(Folder, StatesName, bucket.ToString("x2", CultureInfo.InvariantCulture));

    public string StateFile(string key) => FilePath.Join(Bucket(KeyFileName.BucketOf(key)), KeyFileName.Of(key) + JsonEnding);

    public static bool IsStateFile(string fileName) => fileName.EndsWith(JsonEnding, StringComparison.Ordinal);

    /// <summary>New states, until they are moved to where they belong.</summary>
    public string Staging(long term) => FilePath.Join(Folder, $"{StagingName}.{Digits(term)}");

    public string StagedFile(long term, long number) => FilePath.Join(Staging(term), number.ToString(CultureInfo.InvariantCulture));

    public string CheckpointFile(long term) => FilePath.Join(Folder, $"{CheckpointName}.{Digits(term)}{JsonEnding}");

    public string TagLog(long term) => FilePath.Join(Folder, $"{TagsName}.{Digits(term)}{LogEnding}");

    public static bool TryParseStaging(string name, out long term) => TryParse(name, StagingName, "", out term);

    public static bool TryParseCheckpoint(string name, out long term) => TryParse(name, CheckpointName, JsonEnding, out term);

    public static bool TryParseTagLog(string name, out long term) => TryParse(name, TagsName, LogEnding, out term);

    /// <summary>The generation that a folder of that name is; null if it is none.</summary>
    public static Generation? Parse(string parent, string name)
    {
        foreach (var kind in Enum.GetValues<GenerationKind>())
        {
            if (TryParse(name, NameOf(kind), "", out var number))
                return new Generation(parent, kind, number);
        }
        return null;
    }

    private static string NameOf(GenerationKind kind) => kind switch
    {
        GenerationKind.Live => "live",
        GenerationKind.Rebuild => "rebuild",
        _ => "old",
    };

    private static string Digits(long number) => number.ToString("D10", CultureInfo.InvariantCulture);

    private static bool TryParse(string name, string begin, string end, out long number)
    {
        number = 0;
        return name.Length > begin.Length + 1 + end.Length && name.StartsWith(begin, StringComparison.Ordinal) && name[begin.Length] == '.' && name.EndsWith(end, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(begin.Length + 1, name.Length - begin.Length - 1 - end.Length), NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }
}
