namespace Opossum.Storage.Index;

/// <summary>A type or a tag as runs hold it.</summary>
/// <param name="Text">Its UTF-8 text; of a tag the written form, <c>key:value</c> or the key alone.</param>
internal sealed record RunName(byte[] Text, bool IsType, ulong Hash)
{
    public static RunName Of(Tag tag, NameHash hash) => Of(System.Text.Encoding.UTF8.GetBytes(tag.Text), isType: false, hash);

    public static RunName OfType(string type, NameHash hash) => Of(System.Text.Encoding.UTF8.GetBytes(type), isType: true, hash);

    private static RunName Of(byte[] text, bool isType, NameHash hash) => new(text, isType, hash.Of(text, isType));
}
