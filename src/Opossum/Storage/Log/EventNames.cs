namespace Opossum.Storage.Log;

/// <summary>Types and tags that were read from lines lately: neighbouring events share many.</summary>
internal sealed class EventNames
{
    private readonly StringCache types = new(256);
    private readonly StringCache keys = new(256);
    private readonly StringCache values = new(8192);

    public string TypeOf(ReadOnlySpan<byte> text) => types.Get(text);

    public Tag TagOf(ReadOnlySpan<byte> text)
    {
        var colon = text.IndexOf((byte)':');
        return colon < 0 ? Tag.Trusted(keys.Get(text)) : Tag.Trusted(keys.Get(text[..colon]), values.Get(text[(colon + 1)..]));
    }
}
