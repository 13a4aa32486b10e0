using System.Text;
using Opossum.FileSystem;
using Opossum.Reactions.Files;

namespace Opossum.Storage.Repair;

/// <summary>
/// Finds the files of reactions that are about events: parked and skipped ones by the id in their text, due ones also by the id in their name,
/// which is that of the event that has scheduled them. Damaged files are searched too.
/// </summary>
internal sealed class ReactionMentions(StoreUnderRepair store, IEnumerable<Guid> eventIds)
{
    private readonly IFileSystem fileSystem = store.FileSystem;
    private readonly List<(byte[] InText, string InName)> ids =
        [.. eventIds.Select(static id => (Encoding.ASCII.GetBytes(id.ToString("D")), id.ToString("N")))];

    public List<string> Find()
    {
        var found = new List<string>();
        foreach (var name in fileSystem.ListIfThere(store.Layout.Reactions).Order(StringComparer.Ordinal))
        {
            var layout = new ReactionLayout(store.Layout.Reactions, name);
            foreach (var folder in (string[])[layout.Parked, layout.Skipped, layout.Due])
                Find(folder, found);
        }
        return found;
    }

    private void Find(string folder, List<string> found)
    {
        if (fileSystem.GetKind(folder) != EntryKind.Folder || fileSystem.IsLink(folder))
            return;
        foreach (var name in fileSystem.List(folder).Order(StringComparer.Ordinal))
        {
            var path = FilePath.Join(folder, name);
            if (ids.Exists(id => name.Contains(id.InName, StringComparison.Ordinal)) || IsInText(path))
                found.Add(path);
        }
    }

    // What is not a file, or is gone by now, has no text.
    private bool IsInText(string path) => fileSystem.GetKind(path) == EntryKind.File && store.EventFiles.ReadBytes(path) is { } bytes
        && ids.Exists(id => bytes.AsSpan().IndexOf(id.InText) >= 0);
}
