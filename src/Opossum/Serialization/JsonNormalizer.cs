using System.Buffers;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace Opossum.Serialization;

/// <summary>
/// The single pass that validates JSON of unknown origin and writes it in compact form; see <see cref="JsonText.Normalize(ReadOnlySpan{byte})"/>.
/// </summary>
internal ref struct JsonNormalizer
{
    public const int MembersAtFirst = 32;
    private const int MembersComparedInPairsMax = 16;

    private readonly ReadOnlySpan<byte> json;
    private readonly int lengthMax;
    private readonly Span<int> firstMembers;
    private byte[] output;
    private int length;
    private Span<Member> members;
    private Member[]? rentedMembers;
    private int memberCount;

    /// <param name="lengthMax">The maximum bytes of its compact form.</param>
    /// <param name="members">Space for the members of the objects that are open at the same time; it grows when full.</param>
    /// <param name="firstMembers">Space for one index per level.</param>
    public JsonNormalizer(ReadOnlySpan<byte> json, int lengthMax, Span<Member> members, Span<int> firstMembers)
    {
        this.json = json;
        this.lengthMax = lengthMax;
        this.members = members;
        this.firstMembers = firstMembers;
        output = ArrayPool<byte>.Shared.Rent(Math.Min(json.Length, lengthMax) + 16);
    }

    /// <summary>A member's name: its place in the output, in its one escaped form, and its place in the source.</summary>
    public readonly record struct Member(int Start, int Length, int Source);

    /// <summary>Whether all strings were already escaped as in the compact form.</summary>
    public bool IsCanonical { get; private set; } = true;

    /// <summary>The compact form; null when it is too long.</summary>
    public byte[]? Run()
    {
        if (json.StartsWith("\uFEFF"u8))
            throw Error("It starts with a byte order mark; JSON in UTF-8 has none.", 0);
        if (!Utf8.IsValid(json))
            throw Error("It is not valid UTF-8.", FirstInvalidByte(json));

        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = JsonText.DepthMax });
        while (length <= lengthMax && reader.Read())
            Write(ref reader);
        if (length > lengthMax)
            return null;
        return output.AsSpan(0, length).ToArray();
    }

    public readonly void Dispose()
    {
        ArrayPool<byte>.Shared.Return(output);
        if (rentedMembers is not null)
            ArrayPool<Member>.Shared.Return(rentedMembers);
    }

    private void Write(ref Utf8JsonReader reader)
    {
        switch (reader.TokenType)
        {
            case JsonTokenType.StartObject:
                WriteComma();
                Append((byte)'{');
                firstMembers[reader.CurrentDepth] = memberCount;
                break;
            case JsonTokenType.EndObject:
                RefuseDuplicates(members[firstMembers[reader.CurrentDepth]..memberCount]);
                memberCount = firstMembers[reader.CurrentDepth];
                Append((byte)'}');
                break;
            case JsonTokenType.StartArray:
                WriteComma();
                Append((byte)'[');
                break;
            case JsonTokenType.EndArray:
                Append((byte)']');
                break;
            case JsonTokenType.PropertyName:
                WriteComma();
                var start = length;
                WriteString(ref reader);
                AddMember(new Member(start, length - start, (int)reader.TokenStartIndex));
                Append((byte)':');
                break;
            case JsonTokenType.String:
                WriteComma();
                WriteString(ref reader);
                break;
            default:
                // A number, true, false or null: copied unchanged, so that a number of any size and precision keeps its value.
                WriteComma();
                Append(reader.ValueSpan);
                break;
        }
    }

    // The byte before shows whether a comma is due: only after a value, never at the start or after { [ or :
    private void WriteComma()
    {
        if (length > 0 && output[length - 1] is not ((byte)'{' or (byte)'[' or (byte)':'))
            Append((byte)',');
    }

    private void WriteString(ref Utf8JsonReader reader)
    {
        var text = reader.ValueSpan;
        Append((byte)'"');
        // An escaped text contains a backslash, which the encoder would escape, so it is found too.
        if (ReadableJsonEncoder.Instance.FindFirstCharacterToEncodeUtf8(text) < 0)
            Append(text);
        else
            WriteEscaped(ref reader, text.Length);
        Append((byte)'"');
    }

    private void WriteEscaped(ref Utf8JsonReader reader, int lengthMax)
    {
        var start = length;
        var buffer = ArrayPool<byte>.Shared.Rent(lengthMax);
        try
        {
            ReadOnlySpan<byte> rest = buffer.AsSpan(0, reader.CopyString(buffer));
            while (true)
            {
                var status = ReadableJsonEncoder.Instance.EncodeUtf8(rest, output.AsSpan(length), out var consumed, out var written);
                rest = rest[consumed..];
                length += written;
                if (status == OperationStatus.Done)
                    break;
                Grow(rest.Length + ReadableJsonEncoder.Instance.MaxOutputCharactersPerInputCharacter);
            }
        }
        catch (InvalidOperationException)
        {
            // The reader's error for half a surrogate pair, \ud800, which is valid JSON grammar but not Unicode.
            throw Error("A string is not valid Unicode: it contains half a surrogate pair.", (int)reader.TokenStartIndex);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
        IsCanonical &= output.AsSpan(start, length - start).SequenceEqual(reader.ValueSpan);
    }

    private readonly void RefuseDuplicates(Span<Member> names)
    {
        // Each name is in its one escaped form, so equal names have equal bytes.
        if (names.Length > MembersComparedInPairsMax)
        {
            RefuseDuplicatesBySorting(names);
            return;
        }
        for (var later = 1; later < names.Length; later++)
        {
            for (var earlier = 0; earlier < later; earlier++)
            {
                if (names[earlier].Length == names[later].Length && Text(names[earlier]).SequenceEqual(Text(names[later])))
                    throw DuplicateError(names[later]);
            }
        }
    }

    // An object with a million members must not need a million times a million comparisons.
    private readonly void RefuseDuplicatesBySorting(Span<Member> names)
    {
        var bytes = output;
        names.Sort((left, right) =>
        {
            var order = left.Length.CompareTo(right.Length);
            if (order == 0)
                order = bytes.AsSpan(left.Start, left.Length).SequenceCompareTo(bytes.AsSpan(right.Start, right.Length));
            return order != 0 ? order : left.Source.CompareTo(right.Source);
        });
        for (var at = 1; at < names.Length; at++)
        {
            if (Text(names[at - 1]).SequenceEqual(Text(names[at])))
                throw DuplicateError(names[at]);
        }
    }

    private readonly ReadOnlySpan<byte> Text(Member name) => output.AsSpan(name.Start, name.Length);

    private readonly JsonException DuplicateError(Member name)
    {
        var quoted = Encoding.UTF8.GetString(Text(name));
        return Error($"The member {NameRules.Quote(quoted[1..^1])} occurs twice in one object.", name.Source);
    }

    private readonly JsonException Error(string problem, int at)
    {
        var before = json[..at];
        var line = before.Count((byte)'\n');
        var byteInLine = at - (before.LastIndexOf((byte)'\n') + 1);
        return new JsonException(string.Create(CultureInfo.InvariantCulture, $"{problem} LineNumber: {line} | BytePositionInLine: {byteInLine}."),
            null, line, byteInLine);
    }

    private static int FirstInvalidByte(ReadOnlySpan<byte> utf8)
    {
        var at = 0;
        while (Rune.DecodeFromUtf8(utf8[at..], out _, out var consumed) == OperationStatus.Done)
            at += consumed;
        return at;
    }

    private void AddMember(Member member)
    {
        if (memberCount == members.Length)
            GrowMembers();
        members[memberCount++] = member;
    }

    private void GrowMembers()
    {
        var larger = ArrayPool<Member>.Shared.Rent(members.Length * 2);
        members.CopyTo(larger);
        if (rentedMembers is not null)
            ArrayPool<Member>.Shared.Return(rentedMembers);
        members = rentedMembers = larger;
    }

    private void Append(byte value)
    {
        Reserve(1);
        output[length++] = value;
    }

    private void Append(ReadOnlySpan<byte> value)
    {
        Reserve(value.Length);
        value.CopyTo(output.AsSpan(length));
        length += value.Length;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int count)
    {
        if (count > output.Length - length)
            Grow(count);
    }

    private void Grow(int count)
    {
        var larger = ArrayPool<byte>.Shared.Rent(checked(output.Length + Math.Max(output.Length, count)));
        output.AsSpan(0, length).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(output);
        output = larger;
    }
}
