using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;

namespace Opossum.Storage.Check;

/// <summary>Whether the keys are there that encrypted the values of events, as far as this can be told without the master key.</summary>
internal sealed class KeysCheck(StoreFolder folder, KeyFolder keys, Action<StoreFinding> find)
{
    private const int NamedMax = 1_000;

    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly KeyNeeds needs = new(folder.FileSystem, keys);
    private List<string> begun = [];
    private FileSystemException? unlisted;

    /// <summary>Looks at what is under way, before the events are read.</summary>
    public void Begin() => begun = ListBegun();

    public void Note(StoredEvent e) => needs.Note(e.Content, e.Position);

    /// <summary>Reports what was found.</summary>
    /// <param name="isReplica">Whether the folder is a replica.</param>
    /// <returns>
    /// Why the keys are missing as a whole, if this is a replica, or a copy that no process has opened yet: a copy has its keys elsewhere. Null
    /// otherwise.
    /// </returns>
    public string? Finish(bool isReplica)
    {
        FindUnfinished();
        if (FindProblem() is { } problem)
        {
            if (isReplica || fileSystem.GetKind(layout.Index) == EntryKind.Missing)
                return problem;
            find(StoreFinding.Of(FindingKind.MissingKeys, keys.StoreKeyFile, problem, Remedy.RestoreKeys));
            return null;
        }
        foreach (var (subject, path, what, first, events) in needs.Lost.Take(NamedMax))
        {
            find(StoreFinding.Of(FindingKind.MissingKeys, path,
                string.Create(CultureInfo.InvariantCulture,
                    $"the personal data of {subject} in {events} {(events == 1 ? "event" : "events")}, "
                        + $"the first at position {first}, cannot be read: "
                    + $"{path} {what}. When the key is back, rebuild the projections that have values of this person"), Remedy.RestoreKeys, first));
        }
        // It looks for files, too.
        var returned = needs.Returned.Take(NamedMax).ToList();
        foreach (var (path, why) in needs.Unreachable.Take(NamedMax))
            FindUnreadable(path, why);
        foreach (var (subject, path, what) in returned)
        {
            find(StoreFinding.Of(FindingKind.UnfinishedForgetting, path,
                $"{subject} was forgotten, and {path} {what}; forget the person again to remove it", Remedy.ForgetAgain));
        }
        return null;
    }

    // One that was under way at the beginning and is still has been interrupted; any other may end by itself.
    private void FindUnfinished()
    {
        var still = ListBegun();
        if (unlisted is not null)
            FindUnreadable(layout.Keys, unlisted.Message);
        foreach (var name in still.Intersect(begun))
        {
            var path = FilePath.Join(layout.Keys, name);
            find(StoreFinding.Of(FindingKind.UnfinishedForgetting, path,
                $"forgetting the person that {path} names has begun and was interrupted; forget the person again to finish it",
                Remedy.ForgetAgain));
        }
    }

    private List<string> ListBegun()
    {
        try
        {
            return fileSystem.ListIfThere(layout.Keys).FindAll(static name => name.EndsWith(StoreLayout.ForgettingEnding, StringComparison.Ordinal));
        }
        catch (FileSystemException e)
        {
            unlisted = e;
            return [];
        }
    }

    // What is wrong with the keys as a whole.
    private string? FindProblem()
    {
        try
        {
            return StoreKeys.FindProblem(ReadMark() ?? (needs.HasValues ? StoreKeyMark.Unknown : null), keys);
        }
        catch (PersonalDataException e)
        {
            FindUnreadable(e.Path ?? keys.StoreKeyFile, e.Message);
            return null;
        }
    }

    private StoreKeyMark? ReadMark()
    {
        try
        {
            return StoreKeyMark.Read(fileSystem, layout);
        }
        catch (FileSystemException e)
        {
            FindUnreadable(layout.PersonalFile, e.Message);
            return null;
        }
    }

    private void FindUnreadable(string path, string why) => find(StoreFinding.Of(FindingKind.UnreadableFile, path, why, Remedy.MakeReadable));
}
