namespace Opossum;

/// <summary>An event's or a state's JSON whose personal values were decrypted.</summary>
/// <param name="Json">The JSON; a value that cannot be read is null.</param>
internal record OpenedJson(ReadOnlyMemory<byte> Json)
{
    /// <summary>The members that cannot be read, each with the person that it is about.</summary>
    public virtual IEnumerable<(string Path, Tag Subject)> Unreadable => [];
}
