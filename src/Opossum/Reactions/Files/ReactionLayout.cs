using Opossum.FileSystem;
using Opossum.Leading;

namespace Opossum.Reactions.Files;

/// <summary>Every name in the folder of a reaction; docs/storage-format.md describes the same names.</summary>
internal sealed class ReactionLayout(string reactionsFolder, string name) : LedFolder(reactionsFolder, name)
{
    /// <summary>The begin of the name of the folder that the leader writes; a new leader gives it a new number.</summary>
    public const string Live = "live";

    /// <summary>The begin of the name of a live folder that is not complete yet.</summary>
    public const string New = "new";

    /// <summary>The begin of the name of a folder that is to be deleted.</summary>
    public const string Old = "old";

    private const string CheckpointName = "checkpoint";

    // Two files: a crash during the write of the one leaves the other.
    private static readonly string[] checkpointEndings = [".a.json", ".b.json"];

    public override long? NumberOf(string folderName) => NumberOf(folderName, Live) ?? NumberOf(folderName, New) ?? NumberOf(folderName, Old);

    public static long? NumberOf(string folderName, string kind) => NumberedName.TryParse(folderName, kind, "", out var number) ? number : null;

    public string Folder(string kind, long number) => FilePath.Join(Root, NumberedName.Of(kind, number));

    /// <summary>The numbers of the folders of a kind, ascending.</summary>
    public List<long> List(IFileSystem fileSystem, string kind)
    {
        var numbers = new List<long>();
        if (fileSystem.GetKind(Root) != EntryKind.Folder)
            return numbers;
        foreach (var name in fileSystem.List(Root))
        {
            if (NumberOf(name, kind) is { } number)
                numbers.Add(number);
        }
        numbers.Sort();
        return numbers;
    }

    public static string CheckpointFile(string folder, long term, long turn) =>
        FilePath.Join(folder, NumberedName.Of(CheckpointName, term, checkpointEndings[turn % checkpointEndings.Length]));

    /// <summary>Whether a file is a checkpoint, and of which term.</summary>
    public static bool TryParseCheckpoint(string fileName, out long term)
    {
        foreach (var ending in checkpointEndings)
        {
            if (NumberedName.TryParse(fileName, CheckpointName, ending, out term))
                return true;
        }
        term = 0;
        return false;
    }
}
