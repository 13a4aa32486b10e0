using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Which keys the encrypted values of events need, and which of them are not in a folder of keys. It needs no master key.</summary>
internal sealed class KeyNeeds(IFileSystem fileSystem, KeyFolder keys)
{
    private readonly Dictionary<Tag, KeyFile?> files = [];
    private readonly Dictionary<Tag, (long First, long Events, byte[] Value)> lost = [];
    private readonly HashSet<Tag> forgotten = [];
    private readonly Dictionary<Tag, (string Path, string Problem)> unreachable = [];

    public bool HasValues { get; private set; }

    /// <summary>The persons, not forgotten ones, whose values cannot be read: the file of the key, what is wrong with it, and the events.</summary>
    public IEnumerable<(Tag Subject, string Path, string Problem, long First, long Events)> Lost
    {
        get
        {
            foreach (var (subject, (first, events, value)) in lost)
            {
                // Another process may have been writing the file: it erases the key of a person who is forgotten before it leaves a mark.
                files.Remove(subject);
                if (!IsOf(FileOf(subject), value) && !forgotten.Contains(subject) && !unreachable.ContainsKey(subject))
                    yield return (subject, keys.FileOf(subject), ProblemOf(subject), first, events);
            }
        }
    }

    /// <summary>How many persons' values cannot be read, as a sentence; null: those of none.</summary>
    public string? LostInWords => Lost.Count() is var persons and > 0
        ? string.Create(CultureInfo.InvariantCulture,
            $"The personal data of {persons} {(persons == 1 ? "person" : "persons")} cannot be read: {keys.Path} has not the keys that encrypted it.")
        : null;

    /// <summary>The files that could not be read now, such as those that another program holds: of their keys nothing is known.</summary>
    public IEnumerable<(string Path, string Problem)> Unreachable => unreachable.Values;

    /// <summary>The forgotten persons who have a key, its file, and what that is, as the end of a sentence that begins with its path.</summary>
    public IEnumerable<(Tag Subject, string Path, string Problem)> Returned
    {
        get
        {
            foreach (var subject in forgotten)
            {
                if (FileOf(subject) is { Key: not null })
                    yield return (subject, keys.FileOf(subject), "has a key of this person again");
                else if (FindLeftInStore(subject) is { } file)
                    yield return (subject, file, "has a key of this person, or is damaged");
            }
        }
    }

    public void Note(PreparedEvent e, long position)
    {
        if (e.Type == PersonForgotten.Name)
            forgotten.UnionWith(e.Tags);
        if (!SealedText.MayBeIn(e.Json))
            return;
        foreach (var ofPerson in SealedText.FindAll(e.Json).GroupBy(static each => each.Subject))
        {
            HasValues = true;
            if (ofPerson.FirstOrDefault(each => !IsOf(FileOf(ofPerson.Key), each.Value)) is { Value: { } value })
                lost[ofPerson.Key] = lost.TryGetValue(ofPerson.Key, out var known) ? known with { Events = known.Events + 1 } : (position, 1, value);
        }
    }

    private KeyFile? FileOf(Tag subject)
    {
        if (files.TryGetValue(subject, out var file))
            return file;
        try
        {
            file = keys.ReadWhateverItIs(subject);
        }
        catch (PersonalDataException e)
        {
            unreachable[subject] = (keys.FileOf(subject), e.Message);
        }
        files[subject] = file;
        return file;
    }

    private string? FindLeftInStore(Tag subject)
    {
        try
        {
            return keys.FindLeftInStore(subject);
        }
        catch (PersonalDataException e)
        {
            unreachable[subject] = (e.Path ?? keys.FileOf(subject), e.Message);
            return null;
        }
    }

    private string ProblemOf(Tag subject) => FileOf(subject) is not null ? "has another key than the one that encrypted it"
        : fileSystem.GetKind(keys.FileOf(subject)) == EntryKind.Missing ? "is missing" : "is damaged";

    // A mark explains why a value cannot be read. A file without an id was written before files had one.
    private static bool IsOf(KeyFile? file, byte[] value) => file switch
    {
        null => false,
        { Key: null } or { KeyId: null } => true,
        { KeyId: { } id } => value.AsSpan().StartsWith(id),
    };
}
