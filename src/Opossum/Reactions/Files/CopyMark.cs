using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Reactions.Files;

/// <summary>
/// The live folder of a reaction in a copy of its store, such as a backup: without a checkpoint, because the copy does not know which events were
/// handled. A leader that finds it handles nothing until somebody says from where it continues.
/// </summary>
internal static class CopyMark
{
    /// <summary>The file that tells such a folder from a damaged one.</summary>
    private const string FileName = "copied.json";

    // Lower than that of every leader.
    private const long Number = 0;

    public static bool IsIn(IFileSystem fileSystem, string liveFolder) =>
        fileSystem.GetKind(FilePath.Join(liveFolder, FileName)) == EntryKind.File;

    /// <summary>Marks every reaction of a store in a copy of it, durably. One that has a live folder there keeps it.</summary>
    /// <param name="from">The folder of all reactions of the store.</param>
    /// <param name="to">The folder of all reactions of the copy.</param>
    /// <param name="head">The last position of the copy.</param>
    public static void WriteAll(IFileSystem fileSystem, string from, string to, long head)
    {
        foreach (var layout in Names(fileSystem, from).Select(name => new ReactionLayout(to, name)))
        {
            if (!layout.List(fileSystem, ReactionLayout.Live).Exists(static number => number != Number))
                Write(fileSystem, layout, to, head);
        }
    }

    /// <summary>Marks every reaction of a store, durably, and removes what it has handled: the store becomes a copy of another one.</summary>
    public static void ReplaceAll(IFileSystem fileSystem, string reactions, long head)
    {
        foreach (var layout in Names(fileSystem, reactions).Select(name => new ReactionLayout(reactions, name)))
        {
            // Order matters: without a mark, after a crash, the reaction would begin as new and handle events again.
            Write(fileSystem, layout, reactions, head);
            var mark = layout.Folder(ReactionLayout.Live, Number);
            fileSystem.RemoveEntries(layout.Root, path => path == mark);
            fileSystem.FlushFolder(layout.Root);
        }
    }

    private static IEnumerable<string> Names(IFileSystem fileSystem, string reactions) => fileSystem.ListIfThere(reactions)
        .Where(name => NameRules.IsFolderName(name) && fileSystem.GetKind(FilePath.Join(reactions, name)) == EntryKind.Folder);

    private static void Write(IFileSystem fileSystem, ReactionLayout layout, string reactions, long head)
    {
        var folder = layout.Folder(ReactionLayout.Live, Number);
        foreach (var path in (string[])[reactions, layout.Root, folder])
            fileSystem.CreateFolderDurably(path);
        CheckedFile.Write(fileSystem, FilePath.Join(folder, FileName), json => json.WriteNumber("head"u8, head));
    }

    /// <summary>Whether a folder of reactions has nothing but marks.</summary>
    public static bool AreAll(IFileSystem fileSystem, string reactions) =>
        fileSystem.GetKind(reactions) == EntryKind.Folder && fileSystem.List(reactions).TrueForAll(name => IsOnly(fileSystem, reactions, name));

    private static bool IsOnly(IFileSystem fileSystem, string reactions, string name)
    {
        var layout = new ReactionLayout(reactions, name);
        var folder = layout.Folder(ReactionLayout.Live, Number);
        return NameRules.IsFolderName(name) && fileSystem.GetKind(layout.Root) == EntryKind.Folder
            && fileSystem.List(layout.Root).TrueForAll(each => FilePath.Join(layout.Root, each) == folder)
            && (fileSystem.GetKind(folder) == EntryKind.Missing
                || fileSystem.List(folder).TrueForAll(static each => each == FileName || each == LedFolder.StagingOf(FileName)));
    }
}
