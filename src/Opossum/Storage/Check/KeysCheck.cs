using System.Globalization;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;

namespace Opossum.Storage.Check;

/// <summary>Whether the keys are there that encrypted the values of events, as far as this can be told without the master key.</summary>
/// <param name="folder">The store's folder.</param>
/// <param name="keys">The folder of keys.</param>
/// <param name="find">Receives a fault.</param>
internal sealed class KeysCheck(StoreFolder folder, KeyFolder keys, Action<StoreFinding> find)
{
    private const int NamedMax = 1_000;

    private readonly KeyNeeds needs = new(folder.FileSystem, keys);

    /// <summary>Takes in an event.</summary>
    public void Note(StoredEvent e) => needs.Note(e.Content, e.Position);

    /// <summary>Reports what was found.</summary>
    /// <returns>
    /// Why the keys are missing as a whole, if this is a copy that no process has opened yet: a copy has its keys elsewhere. Null otherwise.
    /// </returns>
    public string? Finish()
    {
        var mark = StoreKeyMark.Read(folder.FileSystem, folder.Layout) ?? (needs.HasValues ? StoreKeyMark.Unknown : null);
        if (StoreKeys.FindProblem(mark, keys) is { } problem)
        {
            if (folder.FileSystem.GetKind(folder.Layout.Index) == EntryKind.Missing)
                return problem;
            find(new StoreFinding
            {
                Kind = FindingKind.MissingKeys,
                Path = keys.StoreKeyFile,
                Position = null,
                Message = problem,
                Remedy = Remedy.RestoreKeys,
            });
            return null;
        }
        foreach (var (subject, path, what, first, events) in needs.Lost.Take(NamedMax))
        {
            find(new StoreFinding
            {
                Kind = FindingKind.MissingKeys,
                Path = path,
                Position = first,
                Message = string.Create(CultureInfo.InvariantCulture,
                    $"the personal data of {subject} in {events} {(events == 1 ? "event" : "events")}, "
                        + $"the first at position {first}, cannot be read: "
                    + $"{path} {what}"),
                Remedy = Remedy.RestoreKeys,
            });
        }
        // It looks for files, too.
        var returned = needs.Returned.Take(NamedMax).ToList();
        foreach (var (path, why) in needs.Unreachable.Take(NamedMax))
        {
            find(new StoreFinding
            {
                Kind = FindingKind.UnreadableFile,
                Path = path,
                Position = null,
                Message = why,
                Remedy = Remedy.MakeReadable,
            });
        }
        foreach (var subject in returned)
        {
            find(new StoreFinding
            {
                Kind = FindingKind.UnfinishedForgetting,
                Path = keys.FileOf(subject),
                Position = null,
                Message = $"{subject} was forgotten, and {keys.FileOf(subject)} has a key of this person again; forget the person again to remove it",
                Remedy = Remedy.ForgetAgain,
            });
        }
        return null;
    }
}
