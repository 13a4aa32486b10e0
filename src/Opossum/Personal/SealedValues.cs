using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>Decrypts the personal values of stored JSON, wherever they are.</summary>
internal ref struct SealedValues
{
    private readonly ReadOnlySpan<byte> json;
    private readonly KeyRing keys;
    private readonly SealedPlace place;
    private readonly List<byte> opened;
    private List<UnreadableMember>? lost;
    private Utf8JsonReader reader;
    private int done;

    private SealedValues(ReadOnlySpan<byte> json, KeyRing keys, SealedPlace place)
    {
        this.json = json;
        this.keys = keys;
        this.place = place;
        opened = new List<byte>(json.Length);
        reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = JsonText.DepthMax + 1 });
    }

    /// <summary>Decrypts the values.</summary>
    /// <param name="json">Compact JSON as it is stored.</param>
    /// <exception cref="PersonalDataException">A value or a key is damaged, or the JSON is not valid.</exception>
    public static OpenedJson Open(ReadOnlySpan<byte> json, KeyRing keys, SealedPlace place)
    {
        var values = new SealedValues(json, keys, place);
        try
        {
            values.reader.Read();
            values.Read("");
        }
        catch (Exception e) when (e is JsonException or (InvalidOperationException and not ObjectDisposedException))
        {
            throw new PersonalDataException(null, $"{place}: it is not valid JSON. {e.Message} Restore the original from a backup.",
                innerException: e);
        }
        values.opened.AddRange(json[values.done..]);
        return new OpenedPersonal(SealedText.Unescape([.. values.opened]), values.lost is null ? [] : values.lost);
    }

    private void Read(string path)
    {
        if (reader.TokenType == JsonTokenType.StartArray)
        {
            for (var at = 0; reader.Read() && reader.TokenType != JsonTokenType.EndArray; at++)
                Read(MemberPath.Element(path, at));
        }
        else if (reader.TokenType == JsonTokenType.StartObject)
        {
            var start = (int)reader.TokenStartIndex;
            if (SealedText.IsAt(json, start))
            {
                reader.Skip();
                Replace(start, (int)reader.BytesConsumed, path);
                return;
            }
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var name = reader.GetString()!;
                reader.Read();
                Read(MemberPath.Member(path, SealedText.NameInData(name)));
            }
        }
    }

    private void Replace(int start, int end, string path)
    {
        opened.AddRange(json[done..start]);
        done = end;
        var value = SealedText.Read(json[start..end], out var subject)
            ?? throw new PersonalDataException(null, $"{place}: its member {path} is not an encrypted value. Restore the original from a backup.");
        if (value.Length == 0 && place.IsState)
        {
            // The person was forgotten, or the key was lost, when the state was written.
            Lose(path, subject, UnreadableReason.Forgotten);
            return;
        }
        if (keys.Open(subject, value, place.Of(subject, path), out var reason, out var problem) is { } text)
        {
            opened.AddRange(text);
            return;
        }
        if (problem is not null)
            throw new PersonalDataException(null, $"{place}: its member {path}, of {subject}, {problem}.");
        Lose(path, subject, reason);
    }

    private void Lose(string path, Tag subject, UnreadableReason reason)
    {
        opened.AddRange("null"u8);
        (lost ??= []).Add(new UnreadableMember { Path = path, Subject = subject, Reason = reason });
    }
}
