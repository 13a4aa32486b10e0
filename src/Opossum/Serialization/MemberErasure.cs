using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Opossum.Serialization;

/// <summary>Replaces members of JSON by null.</summary>
/// <param name="paths">The members.</param>
/// <param name="texts">Receives the texts and numbers in them, as they would be a tag's value; null: nobody wants them.</param>
internal sealed class MemberErasure(IReadOnlyList<MemberPath> paths, ISet<string>? texts = null)
{
    private static readonly JsonReaderOptions readerOptions = new() { MaxDepth = JsonText.DepthMax };

    private readonly HashSet<MemberPath> found = [];

    /// <summary>The one member of an encrypted value. User data with such a name is escaped.</summary>
    public static ReadOnlySpan<byte> SealedName => "$sealed"u8;

    /// <summary>The paths of which no JSON had a member so far, whether null or not, nor a shorter path led to it.</summary>
    public IEnumerable<MemberPath> NotFound => paths.Where(path => !found.Contains(path));

    /// <summary>Compact JSON with null in place of the members; null when each of them is missing or null already.</summary>
    public byte[]? Erase(ReadOnlySpan<byte> json)
    {
        var output = new ArrayBufferWriter<byte>(json.Length);
        var reader = new Utf8JsonReader(json, readerOptions);
        reader.Read();
        var copied = 0;
        Walk(ref reader, [.. paths.Select(static path => new Place(path, 0))], json, output, ref copied);
        if (copied == 0)
            return null;
        output.Write(json[copied..]);
        return output.WrittenSpan.ToArray();
    }

    // The reader is at a value, and ends at the end of it.
    private void Walk(ref Utf8JsonReader reader, List<Place> places, ReadOnlySpan<byte> json, ArrayBufferWriter<byte> output, ref int copied)
    {
        if (places.Exists(static place => place.IsEnd))
        {
            // With this value goes whatever longer paths lead to in it.
            places.ForEach(place => found.Add(place.Path));
            var start = (int)reader.TokenStartIndex;
            var inside = reader;
            reader.Skip();
            if (inside.TokenType == JsonTokenType.Null)
                return;
            if (texts is not null)
                Note(inside, reader.BytesConsumed, texts);
            output.Write(json[copied..start]);
            output.Write("null"u8);
            copied = (int)reader.BytesConsumed;
            return;
        }
        if (reader.TokenType == JsonTokenType.StartArray)
        {
            var inside = places.FindAll(static place => place.Step == MemberStep.EachElement).ConvertAll(static place => place.Next);
            while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                WalkOrSkip(ref reader, inside, json, output, ref copied);
        }
        else if (reader.TokenType == JsonTokenType.StartObject)
        {
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                var inside = Below(ref reader, places);
                reader.Read();
                WalkOrSkip(ref reader, inside, json, output, ref copied);
            }
        }
    }

    private static void Note(Utf8JsonReader reader, long end, ISet<string> texts)
    {
        do
        {
            if (reader.TokenType == JsonTokenType.String)
                texts.Add(reader.GetString()!);
            else if (reader.TokenType == JsonTokenType.Number)
                texts.Add(Encoding.UTF8.GetString(reader.ValueSpan));
        }
        while (reader.BytesConsumed < end && reader.Read());
    }

    private void WalkOrSkip(ref Utf8JsonReader reader, List<Place> places, ReadOnlySpan<byte> json, ArrayBufferWriter<byte> output, ref int copied)
    {
        if (places.Count == 0)
            reader.Skip();
        else
            Walk(ref reader, places, json, output, ref copied);
    }

    private static List<Place> Below(ref Utf8JsonReader name, List<Place> places)
    {
        List<Place> below = [];
        // An encrypted value is a whole: without its text no reader could read the event any more.
        if (name.ValueTextEquals(SealedName))
            return below;
        foreach (var place in places)
        {
            if (!place.Step.IsInArray && (place.Step.Name is not { } step || name.ValueTextEquals(step)))
                below.Add(place.Next);
        }
        return below;
    }

    // How much of a path leads to where the reader is.
    private readonly record struct Place(MemberPath Path, int Taken)
    {
        public bool IsEnd => Taken == Path.Steps.Count;

        public MemberStep Step => Path.Steps[Taken];

        public Place Next => new(Path, Taken + 1);
    }
}
