using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>
/// A folder with one build of all states. A new leader gives it a new number, and so a new path; after that, nothing that a former leader still
/// does by the old path reaches it. A file that a leader writes more than once, or through an open handle, has the leader's number (its term) in
/// its name.
/// </summary>
internal sealed record Generation(string Parent, GenerationKind Kind, long Number)
{
    private const string StatesName = "states";
    private const string CheckpointName = "checkpoint";
    private const string TagsName = "tags";
    private const string StagingName = "staging";
    private const string JsonEnding = ".json";
    private const string LogEnding = ".log";

    public string Folder { get; } = FilePath.Join(Parent, NumberedName.Of(NameOf(Kind), Number));

    public string ModelFile => FilePath.Join(Folder, "model.json");

    public string FaultFile => FilePath.Join(Folder, "fault.json");

    public string States => FilePath.Join(Folder, StatesName);

    public string Bucket(int bucket) => FilePath.Join(Folder, StatesName, NameOf(bucket));

    public string StateFile(string key) => FilePath.Join(Bucket(BucketOf(key)), StateFileName(key));

    public static string StateFileName(string key) => KeyFileName.Of(key) + JsonEnding;

    /// <summary>The folder, one of 256, of the key's file.</summary>
    public static int BucketOf(string key) => (int)(Crc32C.Of(Encoding.UTF8.GetBytes(key)) % ProjectionLayout.Buckets);

    public static bool IsStateFile(string fileName) =>
        fileName.EndsWith(JsonEnding, StringComparison.Ordinal) && KeyFileName.CanBe(NameOfKey(fileName));

    /// <summary>The name that a state's file has by its key.</summary>
    public static ReadOnlySpan<char> NameOfKey(string fileName) => fileName.AsSpan(0, fileName.Length - JsonEnding.Length);

    /// <summary>The folders of states that there are.</summary>
    public IEnumerable<int> ListBuckets(IFileSystem fileSystem)
    {
        var names = fileSystem.ListIfThere(States).ToHashSet(StringComparer.Ordinal);
        for (var bucket = 0; bucket < ProjectionLayout.Buckets; bucket++)
        {
            if (names.Contains(NameOf(bucket)))
                yield return bucket;
        }
    }

    /// <summary>
    /// New states, until they are moved to their final names. The folder's name says which event these states, and all earlier ones, may be built on.
    /// It is durable before the first state is moved, so the folder stays until the next staging folder replaces it.
    /// </summary>
    public static string StagingOf(long term, EventAt basis) =>
        $"{StagingName}.{NumberedName.Digits(term)}.{NumberedName.Digits(basis.Position)}.{basis.Id:n}";

    public string Staging(string name) => FilePath.Join(Folder, name);

    public string StagedFile(string stagingName, long number) => FilePath.Join(Folder, stagingName, number.ToString(CultureInfo.InvariantCulture));

    public string CheckpointFile(long term) => FilePath.Join(Folder, NumberedName.Of(CheckpointName, term, JsonEnding));

    public string TagLog(long number) => FilePath.Join(Folder, NumberedName.Of(TagsName, number, LogEnding));

    public static bool TryParseStaging(string name, out EventAt basis)
    {
        basis = default;
        if (name.Split('.') is not [StagingName, var term, var position, var id] || !NumberedName.TryParse(term, out _)
            || !NumberedName.TryParse(position, out var of) || !Guid.TryParseExact(id, "N", out var parsed))
        {
            return false;
        }

        basis = new EventAt(of, parsed);
        return true;
    }

    /// <summary>The term of a checkpoint's file; null for any other file.</summary>
    public static long? TermOf(string name) => NumberedName.TryParse(name, CheckpointName, JsonEnding, out var term) ? term : null;

    public static bool TryParseTagLog(string name, out long number) => NumberedName.TryParse(name, TagsName, LogEnding, out number);

    /// <summary>The generation of a folder with that name; null if the name is not a generation's.</summary>
    public static Generation? Parse(string parent, string name)
    {
        foreach (var kind in Enum.GetValues<GenerationKind>())
        {
            if (NumberedName.TryParse(name, NameOf(kind), "", out var number))
                return new Generation(parent, kind, number);
        }
        return null;
    }

    private static string NameOf(int bucket) => bucket.ToString("x2", CultureInfo.InvariantCulture);

    private static string NameOf(GenerationKind kind) => kind switch
    {
        GenerationKind.Live => "live",
        GenerationKind.Rebuild => "rebuild",
        _ => "old",
    };
}
