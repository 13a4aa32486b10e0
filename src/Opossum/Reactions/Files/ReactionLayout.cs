using System.Globalization;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Reactions.Files;

/// <summary>Every name in the folder of a reaction; docs/storage-format-of-features.md describes the same names.</summary>
internal sealed class ReactionLayout(string reactionsFolder, string name) : LedFolder(reactionsFolder, name)
{
    /// <summary>The begin of the name of the folder that the leader writes; a new leader gives it a new number.</summary>
    public const string Live = "live";

    /// <summary>The begin of the name of a live folder that is not complete yet.</summary>
    public const string New = "new";

    /// <summary>The begin of the name of a folder that is to be deleted.</summary>
    public const string Old = "old";

    private const string CheckpointName = "checkpoint";

    private const string FileEnding = ".json";

    // Two files: a crash during the write of the one leaves the other.
    private static readonly string[] checkpointEndings = [".a.json", ".b.json"];

    /// <summary>The parked events, one file each.</summary>
    public string Parked { get; } = FilePath.Join(reactionsFolder, name, "parked");

    /// <summary>The events that were skipped on request, one file each.</summary>
    public string Skipped { get; } = FilePath.Join(reactionsFolder, name, "skipped");

    /// <summary>The events that are appended at a time, one file each.</summary>
    public string Due { get; } = FilePath.Join(reactionsFolder, name, "due");

    public override long? NumberOf(string folderName) => NumberOf(folderName, Live) ?? NumberOf(folderName, New) ?? NumberOf(folderName, Old);

    public static long? NumberOf(string folderName, string kind) => NumberedName.TryParse(folderName, kind, "", out var number) ? number : null;

    public string ParkedFile(long position) => FilePath.Join(Parked, NameOf(position));

    public string SkippedFile(long position) => FilePath.Join(Skipped, NameOf(position));

    /// <summary>The positions that the files in <see cref="Parked"/> or <see cref="Skipped"/> are about, ascending.</summary>
    public static List<long> Positions(IFileSystem fileSystem, string folder) =>
        [.. fileSystem.ListOwn(folder).Select(PositionOf).OfType<long>().Order()];

    public string Folder(string kind, long number) => FilePath.Join(Root, NumberedName.Of(kind, number));

    /// <summary>The numbers of the folders of a kind, ascending.</summary>
    public List<long> List(IFileSystem fileSystem, string kind) =>
        [.. fileSystem.ListIfThere(Root).Select(name => NumberOf(name, kind)).OfType<long>().Order()];

    public static string CheckpointFile(string folder, long term, long turn) =>
        FilePath.Join(folder, NumberedName.Of(CheckpointName, term, checkpointEndings[turn % checkpointEndings.Length]));

    /// <summary>The term of a checkpoint's file; null for any other file.</summary>
    public static long? TermOf(string fileName)
    {
        foreach (var ending in checkpointEndings)
        {
            if (NumberedName.TryParse(fileName, CheckpointName, ending, out var term))
                return term;
        }
        return null;
    }

    private static string NameOf(long position) => string.Create(CultureInfo.InvariantCulture, $"{position:D10}{FileEnding}");

    private static long? PositionOf(string fileName) => fileName.EndsWith(FileEnding, StringComparison.Ordinal)
        && long.TryParse(fileName.AsSpan(0, fileName.Length - FileEnding.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var position)
        && fileName == NameOf(position) ? position : null;
}
