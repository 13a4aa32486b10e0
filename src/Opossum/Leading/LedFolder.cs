using Opossum.FileSystem;

namespace Opossum.Leading;

/// <summary>The names and bounds that the folders of all things that one process leads have in common.</summary>
internal abstract class LedFolder(string parent, string name)
{
    /// <summary>The maximum length of a small JSON file; a longer file counts as damaged.</summary>
    public const int FileBytesMax = 64 * 1024;

    /// <summary>
    /// The maximum length of an error or a reason in these files, in UTF-16 code units; only the beginning of a longer error is kept.
    /// </summary>
    public const int TextLengthMax = 4_000;

    private const string StagingEnding = ".new";
    private const string Ending = ".json";

    public string Root { get; } = FilePath.Join(parent, name);

    public string LockFile { get; } = FilePath.Join(parent, name, ".lock");

    /// <summary>The requests to the leader, one file each.</summary>
    public string Requests { get; } = FilePath.Join(parent, name, "requests");

    /// <summary>The number in the name of a folder that a leader has named; null if a leader has not named it.</summary>
    public abstract long? NumberOf(string folderName);

    public string RequestFile(Guid id) => FilePath.Join(Requests, $"{id:n}{Ending}");

    public static bool TryParseRequest(string fileName, out Guid id)
    {
        id = default;
        return fileName.EndsWith(Ending, StringComparison.Ordinal)
            && Guid.TryParseExact(fileName.AsSpan(0, fileName.Length - Ending.Length), "N", out id);
    }

    /// <summary>The temporary name of a small file until it is renamed to its final name.</summary>
    public static string StagingOf(string file) => file + StagingEnding;
}
