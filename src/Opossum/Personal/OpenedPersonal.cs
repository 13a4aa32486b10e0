namespace Opossum.Personal;

/// <summary>JSON whose personal values were decrypted, with those that could not be.</summary>
/// <param name="Json">The JSON; a value that cannot be read is null.</param>
internal sealed record OpenedPersonal(ReadOnlyMemory<byte> Json, IReadOnlyList<UnreadableMember> Lost) : OpenedJson(Json)
{
    public override IEnumerable<(string Path, Tag Subject)> Unreadable => Lost.Select(static each => (each.Path, each.Subject));
}
