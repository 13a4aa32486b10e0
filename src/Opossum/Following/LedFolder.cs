using System.Text;
using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>The names and bounds that the folders of all things that one process leads have in common.</summary>
internal abstract class LedFolder(string parent, string name)
{
    /// <summary>The maximum length of a small JSON file; a longer file counts as damaged.</summary>
    /// <remarks>The texts of a skipped event have up to 18,000 characters, and a control character is written as six bytes.</remarks>
    public const int FileBytesMax = 128 * 1024;

    /// <summary>
    /// The maximum length of an error or a reason in these files, in UTF-16 code units; only the beginning of a longer error is kept.
    /// </summary>
    public const int TextLengthMax = 4_000;

    /// <summary>Ends a text that was cut.</summary>
    public const string CutMark = "...";

    /// <summary>
    /// The members of these files that people read. All others are numbers, times, ids and names, which programs read.
    /// </summary>
    public static IReadOnlyList<string> TextMembers { get; } = ["error", "faultError", "key", "reason"];

    private const string Ending = ".json";
    private const string DoneEnding = ".done";

    public string Root { get; } = FilePath.Join(parent, name);

    public string LockFile { get; } = FilePath.Join(parent, name, ".lock");

    /// <summary>The requests to the leader, one file each.</summary>
    public string Requests { get; } = FilePath.Join(parent, name, "requests");

    /// <summary>The number in the name of a folder that a leader has named; null if a leader has not named it.</summary>
    public abstract long? NumberOf(string folderName);

    public string RequestFile(Guid id) => FilePath.Join(Requests, $"{id:n}{Ending}");

    /// <summary>The empty file that records that a request is done, until its file is removed.</summary>
    public string DoneFile(Guid id) => FilePath.Join(Root, $"{id:n}{DoneEnding}");

    /// <summary>The request that a file is; null if it is none.</summary>
    public static Guid? RequestOf(string fileName) => IdOf(fileName, Ending);

    /// <summary>The request that a file records as done; null if it is no such file.</summary>
    public static Guid? DoneOf(string fileName) => IdOf(fileName, DoneEnding);

    /// <summary>The temporary name of a small file until it is renamed to its final name.</summary>
    public static string StagingOf(string file) => file + DurableFile.StagingEnding;

    /// <summary>
    /// The beginning of a text of somebody else, which can be written anywhere: half surrogate pairs become U+FFFD.
    /// </summary>
    public static string Cut(string text, int lengthMax = TextLengthMax) =>
        Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text.Length <= lengthMax ? text : text[..lengthMax] + CutMark));

    private static Guid? IdOf(string fileName, string ending) => fileName.EndsWith(ending, StringComparison.Ordinal)
        && Guid.TryParseExact(fileName.AsSpan(0, fileName.Length - ending.Length), "N", out var id) ? id : null;
}
