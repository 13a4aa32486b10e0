using Opossum.Personal;

namespace Opossum.Storage.Transfer;

/// <summary>
/// The members that the lines of an import have in plain: a later line may have one of them encrypted, which shows that it is personal.
/// </summary>
internal sealed class PlainLines
{
    // By type and pattern. As classes are read, the case of names does not count.
    private readonly Dictionary<string, Dictionary<string, long>> types = new(StringComparer.Ordinal);

    public void Note(ImportedEvent e)
    {
        if (!types.TryGetValue(e.Content.Type, out var members))
            types[e.Content.Type] = members = new(StringComparer.OrdinalIgnoreCase);
        foreach (var member in JsonMember.Of(e.Content.Json).Where(static each => each.IsPlain))
            members.TryAdd(member.Pattern, e.Line);
    }

    /// <summary>A member that a line has encrypted, and the first line that has it in plain; null: there is none.</summary>
    public (string Member, long Line)? Find(ImportedEvent e)
    {
        if (!SealedText.MayBeIn(e.Content.Json) || !types.TryGetValue(e.Content.Type, out var members))
            return null;
        foreach (var member in JsonMember.Of(e.Content.Json).Where(static each => each.IsSealed))
        {
            if (members.TryGetValue(member.Pattern, out var line))
                return (member.Path, line);
        }
        return null;
    }
}
