using System.Buffers;
using System.Text;
using System.Text.RegularExpressions;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;
using Opossum.Tests.Hostile;
using Opossum.Tests.Serialization;

namespace Opossum.Tests.Properties;

/// <summary>An event file gives back what went in, and shows each change.</summary>
public sealed partial class EventFilePropertyTests
{
    private static readonly Gen<StoredEvent> any =
        from type in Generators.Hostile.Where(text => text.Length > 0)
        from keys in Gen.Choose(0, 4).SelectMany(count => Gen.ArrayOf(Generators.Hostile.Select(text => text.Replace(":", "") + "k"), count))
        from values in Gen.ArrayOf(Generators.Hostile, 4)
        from metadata in Gen.Choose(0, 3).SelectMany(count => Gen.ArrayOf(Generators.Hostile, count))
        from version in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, int.MaxValue)))
        from position in Gen.Choose(2, int.MaxValue - 10)
        from seed in Gen.Choose(0, int.MaxValue)
        from query in Gen.Frequency((1, Gen.Constant<Query?>(null)), (1, Generators.Query.Select(static query => (Query?)query)))
        select new StoredEvent(
            new PreparedEvent(type, version, [.. keys.Select((key, at) => new Tag(key, values[at])).Distinct()], Guid.CreateVersion7(),
                Encoding.UTF8.GetBytes(new RandomJson(seed).Value(depthMax: 5)), Metadata(metadata)),
            position, new CommitRange(position - (query is null ? 1 : 0), position + seed % 3, (position - 1) / 2), DateTime.UnixEpoch.Ticks + seed)
        {
            Condition = query is null ? null : KeptCondition.Of(new AppendCondition(query, seed % position)),
        };

    [Fact]
    public void What_was_written_is_read() => Generators.Check(300, any, stored =>
    {
        var file = EventFile.TextOf(stored);
        var read = EventFile.Read(file, stored.Position, out var problem);

        Assert.Null(problem);
        Assert.Equal(Describe(stored), Describe(read!));
        Assert.Equal(stored.Checksum, ChecksumTrailer.Stated(file));
        // One line an element of the envelope: no text breaks out of its string.
        Assert.Equal(1, Encoding.UTF8.GetString(file).Split('\n').Count(line => line.StartsWith("  \"checksum\": ", StringComparison.Ordinal)));
        Assert.DoesNotContain(file, octet => octet < ' ' && octet != '\n');
    });

    [Fact]
    public void A_line_gives_the_event()
    {
        var decoder = new DecoderWithoutKeys(new EventSerializer(new EventTypeRegistry(), 1_000));
        Generators.Check(2_400, any, stored =>
        {
            var line = CanonicalText.Of(EventFile.TextOf(stored));
            var e = EventLine.Read(line, stored.Position, decoder, takesUnknown: false)!;
            var content = new PreparedEvent(e.Type, e.Version, [.. e.Tags], e.Id, e.StoredJson.ToArray(), e.MetadataJson.ToArray());
            Assert.Equal(Describe(EventFile.Read(line, stored.Position, out _)!),
                Describe(new StoredEvent(content, e.Position, stored.Commit, e.Timestamp.UtcTicks)
                {
                    Checksum = stored.Checksum,
                    Condition = e.Condition is { } condition ? KeptCondition.Of(condition) : null,
                }));
        });
    }

    [Fact]
    public void A_file_and_its_line_give_each_other_byte_for_byte() => Generators.Check(300, any, stored =>
    {
        var file = EventFile.TextOf(stored);
        var line = CanonicalText.Of(file);

        Assert.Equal(Recipe(file), Encoding.UTF8.GetString(line));
        Assert.Equal(file, EventFile.TextOfLine(line));
        Assert.Equal(line, CanonicalText.Of(line));
        Assert.Equal(Describe(stored), Describe(EventFile.Read(line, stored.Position, out _)!));
        var text = Recipe(file);
        Assert.Equal(stored.Checksum, Castagnoli(Encoding.UTF8.GetBytes(text[..text.LastIndexOf(",\"checksum\"", StringComparison.Ordinal)])));
    });

    [Fact]
    public void White_space_alone_changes_nothing() => Generators.Check(300, Gen.Zip(any, Gen.Choose(0, int.MaxValue)), input =>
    {
        var (stored, seed) = input;
        var line = CanonicalText.Of(EventFile.TextOf(stored));
        var loose = Encoding.UTF8.GetBytes(new RandomJson(seed).Loosen(Encoding.UTF8.GetString(line)));
        if (seed % 2 == 0)
            loose = [0xEF, 0xBB, 0xBF, .. loose];
        var read = EventFile.Read(loose, stored.Position, out var problem);

        Assert.Null(problem);
        Assert.Equal(Describe(stored), Describe(read!));
        Assert.Equal(stored.Checksum, ChecksumTrailer.Stated(loose));
        Assert.Equal(line, CanonicalText.Of(loose));
        Assert.False(EditedEvent.WasEdited(loose));
    });

    [Theory]
    [InlineData("\"Grün", "\"Gr\\u00FCn")]
    [InlineData("a/b", "a\\/b")]
    [InlineData("\\u007F", "\\u007f")]
    [InlineData("1.50", "1.5")]
    [InlineData("1.50", "15e-1")]
    [InlineData("\"one\": 1.50,\n    \"two\": \"a/b\"", "\"two\": \"a/b\",\n    \"one\": 1.50")]
    [InlineData("\"type\"", "\"\\u0074ype\"")]
    [InlineData("Grün ", "Grün")]
    [InlineData("Grün ", "Grün  ")]
    [InlineData("\"crc32c:", "\"crc32c: ")]
    [InlineData("\"crc32c:", "\" crc32c:")]
    [InlineData("\"crc32c:", "\"CRC32C:")]
    [InlineData("\"checksum\"", "\"check\\u0073um\"")]
    public void Any_other_change_is_an_edit_although_it_means_the_same(string part, string edit)
    {
        var json = "{\"by\":\"Grün \",\"one\":1.50,\"two\":\"a/b\",\"three\":\"\\u007F\"}"u8.ToArray();
        var file =
            Encoding.UTF8.GetString(EventFile.TextOf(new StoredEvent(new PreparedEvent("t", 1, [], Guid.Empty, json, []), 1, new CommitRange(1, 1, 0), 0)));
        Assert.Contains(part, file, StringComparison.Ordinal);
        var edited = Encoding.UTF8.GetBytes(file.Replace(part, edit, StringComparison.Ordinal));

        Assert.Null(EventFile.Read(edited, 1, out var problem));
        Assert.Matches("does not match its checksum|does not end with a checksum", problem);
        Assert.True(EditedEvent.WasEdited(edited));
    }

    [Fact]
    public void A_checksum_in_capitals_is_an_edit()
    {
        foreach (var position in Enumerable.Range(1, 20))
        {
            var file =
                Encoding.UTF8.GetString(EventFile.TextOf(new StoredEvent(new PreparedEvent("t", 1, [], Guid.Empty, "{}"u8.ToArray(), []), position,
                    new CommitRange(1, 20, 0), 0)));
            var inCapitals = file[..^12] + file[^12..].ToUpperInvariant();
            Assert.Equal(file == inCapitals, EventFile.Read(Encoding.UTF8.GetBytes(inCapitals), position, out _) is not null);
        }
    }

    [Fact]
    public void A_text_of_any_bytes_has_a_canonical_text_and_a_checksum() =>
        Generators.Check(300,
            Gen.ArrayOf(Gen.Elements((byte)'"', (byte)'\\', (byte)' ', (byte)'\n', (byte)'{', (byte)'a', (byte)0, (byte)0xEF, (byte)0xBB,
                (byte)0xBF)), bytes =>
    {
        Assert.Equal(Crc32C.Of(CanonicalText.Of(bytes)), CanonicalText.Checksum(bytes));
        _ = ChecksumTrailer.Judge(bytes);
        _ = EditedEvent.WasEdited(bytes);
    });

    [Fact]
    public void A_cut_or_changed_file_is_not_valid_and_says_why() => Generators.Check(300, Gen.Zip(any, Gen.Choose(0, int.MaxValue)), input =>
    {
        var (stored, seed) = input;
        var file = EventFile.TextOf(stored);
        // Without its last line feed alone it is valid.
        Assert.Null(EventFile.Read(file.AsSpan(0, seed % (file.Length - 1)), stored.Position, out var problem));
        Assert.NotEmpty(problem!);
        Assert.Null(EventFile.Read(file, stored.Position + 1, out problem));
        Assert.Contains($"holds the event of position {stored.Position}", problem, StringComparison.Ordinal);

        var changed = file.ToArray();
        changed[seed % file.Length] ^= (byte)(1 + seed / 256 % 255);
        // White space may have become other white space.
        if (EventFile.Read(changed, stored.Position, out problem) is { } same)
            Assert.Equal(Describe(stored), Describe(same));
        else
            Assert.NotEmpty(problem!);
    });

    [Fact]
    public void Text_that_is_no_event_but_has_a_fitting_checksum_is_judged_without_an_exception() =>
        Generators.Check(300,
            Gen.Zip(any,
                Gen.ArrayOf(Gen.Zip(Gen.Choose(0, int.MaxValue), Gen.Elements('"', '{', '}', '[', ']', ',', ':', '9', '-', 'x', ' ', '\\')), 2)),
                    input =>
    {
        var (stored, forgeries) = input;
        var text = EventFile.TextOf(stored)[..^38];
        foreach (var (place, character) in forgeries)
            text[place % text.Length] = (byte)character;
        var file = Forgery.Of(text);

        Assert.NotNull(ChecksumTrailer.Stated(file));
        Assert.True(EventFile.Read(file, stored.Position, out var problem) is null != problem is null);
    });

    [Fact]
    public void Deep_data_does_not_blow_the_file_up()
    {
        foreach (var (depth, element, isIndented) in new[] { (63, "0,", false), (1, "0,", true), (63, "\"" + new string('x', 500) + "\",", true) })
        {
            var elements = string.Concat(Enumerable.Repeat(element, 100_000 / element.Length));
            var json = Encoding.UTF8.GetBytes(new string('[', depth) + elements + "0" + new string(']', depth));
            var stored = new StoredEvent(new PreparedEvent("t", 1, [], Guid.CreateVersion7(), json, []), 1, new CommitRange(1, 1, 0), 0);
            var file = EventFile.TextOf(stored);

            Assert.Equal(json, EventFile.Read(file, 1, out _)!.Content.Json);
            Assert.Equal(isIndented, file.AsSpan().Count((byte)'\n') > 20);
            Assert.InRange(file.Length, json.Length, 4 * json.Length + 1_000);
        }
        // Small data is indented however deep it is.
        var small = Encoding.UTF8.GetBytes(new string('[', 63) + string.Concat(Enumerable.Repeat("0,", 1_000)) + "0" + new string(']', 63));
        Assert.True(EventFile.TextOf(new StoredEvent(new PreparedEvent("t", 1, [], Guid.CreateVersion7(), small, []), 1, new CommitRange(1, 1, 0),
            0)).AsSpan().Count((byte)'\n') > 1_000);
    }

    // The canonical text as docs/storage-format.md tells to make it.
    private static string Recipe(byte[] file) =>
        WhiteSpaceOrString().Replace(Encoding.UTF8.GetString(file), match => match.Value[0] == '"' ? match.Value : "");

    [GeneratedRegex("\"(?:[^\"\\\\]|\\\\.)*\"|[ \t\r\n]+")]
    private static partial Regex WhiteSpaceOrString();

    // Bit by bit, as RFC 3720 has it.
    private static uint Castagnoli(byte[] bytes)
    {
        var crc = uint.MaxValue;
        foreach (var octet in bytes)
        {
            crc ^= octet;
            for (var bit = 0; bit < 8; bit++)
                crc = (crc >> 1) ^ ((crc & 1) * 0x82F63B78);
        }
        return ~crc;
    }

    private static byte[] Metadata(string[] texts) =>
        texts.Length == 0
            ? []
            : JsonText.Normalize(System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(texts.Distinct().ToDictionary(text => text, text => text
            + text)));

    private static string Describe(StoredEvent stored) =>
        $"{stored.Position} {stored.Commit} {stored.TimestampTicks} {stored.Checksum} {stored.Content.Type} {stored.Content.Version} "
            + $"{stored.Content.Id} {string.Join('|', stored.Content.Tags)} {Encoding.UTF8.GetString(stored.Content.Json)} "
            + $"{Encoding.UTF8.GetString(stored.Content.Metadata)} {Encoding.UTF8.GetString(stored.Condition?.ToText() ?? [])}";
}
