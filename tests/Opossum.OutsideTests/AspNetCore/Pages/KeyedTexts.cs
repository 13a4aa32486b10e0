using System.Text.Json;

namespace Opossum.AspNetCoreTests.Pages;

public sealed record KeyedText(string Text);

/// <summary>A state for each key that an event of the type <c>text-set</c> names.</summary>
public sealed class KeyedTexts : Projection<KeyedText>
{
    public KeyedTexts()
        : base("keyed-texts")
    {
        On("text-set", static e => Member(e, "key"), static (_, e) => new KeyedText(Member(e, "text")));
        TagBy(static state => [new Tag("length", $"{state.Text.Length}")]);
    }

    public static NewEvent Set(string key, string text) =>
        NewEvent.FromJson("text-set", JsonSerializer.Serialize(new Dictionary<string, string> { ["key"] = key, ["text"] = text }));

    private static string Member(SequencedEvent e, string name) => JsonDocument.Parse(e.Json).RootElement.GetProperty(name).GetString()!;
}
