using System.Buffers;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Ledger;
using Opossum.Tests.Serialization;

namespace Opossum.Tests.Properties;

/// <summary>An event file gives back what went in, and shows each change.</summary>
public sealed class EventFilePropertyTests
{
    private static readonly Gen<StoredEvent> Any =
        from type in Generators.Hostile.Where(text => text.Length > 0)
        from keys in Gen.Choose(0, 4).SelectMany(count => Gen.ArrayOf(Generators.Hostile.Select(text => text.Replace(":", "") + "k"), count))
        from values in Gen.ArrayOf(Generators.Hostile, 4)
        from metadata in Gen.Choose(0, 3).SelectMany(count => Gen.ArrayOf(Generators.Hostile, count))
        from version in Gen.Frequency((3, Gen.Constant(1)), (1, Gen.Choose(2, int.MaxValue)))
        from position in Gen.Choose(2, int.MaxValue - 10)
        from seed in Gen.Choose(0, int.MaxValue)
        select new StoredEvent(
            new PreparedEvent(type, version, [.. keys.Select((key, at) => new Tag(key, values[at])).Distinct()], Guid.CreateVersion7(), Encoding.UTF8.GetBytes(new RandomJson(seed).Value(depthMax: 5)), Metadata(metadata)),
            position, new CommitRange(position - 1, position + seed % 3, (position - 1) / 2), DateTime.UnixEpoch.Ticks + seed);

    [Fact]
    public void What_was_written_is_read() => Generators.Check(300, Any, stored =>
    {
        var file = Write(stored);
        var read = EventFile.Read(file, stored.Position, out var problem);

        Assert.Null(problem);
        Assert.Equal(Describe(stored), Describe(read!));
        Assert.Equal(stored.Checksum, ChecksumTrailer.Stated(file));
        // One line an element of the envelope: no text breaks out of its string.
        Assert.Equal(1, Encoding.UTF8.GetString(file).Split('\n').Count(line => line.StartsWith("  \"checksum\": ", StringComparison.Ordinal)));
        Assert.DoesNotContain(file, octet => octet < ' ' && octet != '\n');
    });

    [Fact]
    public void A_cut_or_changed_file_is_not_valid_and_says_why() => Generators.Check(300, Gen.Zip(Any, Gen.Choose(0, int.MaxValue)), input =>
    {
        var (stored, seed) = input;
        var file = Write(stored);
        // Without its last line feed alone it is valid.
        Assert.Null(EventFile.Read(file.AsSpan(0, seed % (file.Length - 1)), stored.Position, out var problem));
        Assert.NotEmpty(problem!);
        Assert.Null(EventFile.Read(file, stored.Position + 1, out problem));
        Assert.Contains($"holds the event of position {stored.Position}", problem, StringComparison.Ordinal);

        var changed = file.ToArray();
        changed[seed % file.Length] ^= (byte)(1 + seed / 256 % 255);
        // A digit of the checksum may be written in capitals: that is the same number.
        if (EventFile.Read(changed, stored.Position, out problem) is { } same)
            Assert.Equal(Describe(stored), Describe(same));
        else
            Assert.NotEmpty(problem!);
    });

    [Fact]
    public void Text_that_is_no_event_but_has_a_fitting_checksum_is_judged_without_an_exception() => Generators.Check(300, Gen.Zip(Any, Gen.ArrayOf(Gen.Zip(Gen.Choose(0, int.MaxValue), Gen.Elements('"', '{', '}', '[', ']', ',', ':', '9', '-', 'x', ' ', '\\')), 2)), input =>
    {
        var (stored, forgeries) = input;
        var text = Write(stored)[..^38];
        foreach (var (place, character) in forgeries)
            text[place % text.Length] = (byte)character;
        byte[] file = [.. text, .. Encoding.UTF8.GetBytes($",\n  \"checksum\": \"crc32c:{Crc32C.Of(text):x8}\"\n}}\n")];

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
            var file = Write(stored);

            Assert.Equal(json, EventFile.Read(file, 1, out _)!.Content.Json);
            Assert.Equal(isIndented, file.AsSpan().Count((byte)'\n') > 20);
            Assert.InRange(file.Length, json.Length, 4 * json.Length + 1_000);
        }
        // Small data is indented however deep it is.
        var small = Encoding.UTF8.GetBytes(new string('[', 63) + string.Concat(Enumerable.Repeat("0,", 1_000)) + "0" + new string(']', 63));
        Assert.True(Write(new StoredEvent(new PreparedEvent("t", 1, [], Guid.CreateVersion7(), small, []), 1, new CommitRange(1, 1, 0), 0)).AsSpan().Count((byte)'\n') > 1_000);
    }

    private static byte[] Write(StoredEvent stored)
    {
        var buffer = new ArrayBufferWriter<byte>();
        EventFile.Write(buffer, stored);
        return buffer.WrittenSpan.ToArray();
    }

    private static byte[] Metadata(string[] texts) =>
        texts.Length == 0 ? [] : JsonText.Normalize(System.Text.Json.JsonSerializer.SerializeToUtf8Bytes(texts.Distinct().ToDictionary(text => text, text => text + text)));

    private static string Describe(StoredEvent stored) =>
        $"{stored.Position} {stored.Commit} {stored.TimestampTicks} {stored.Checksum} {stored.Content.Type} {stored.Content.Version} {stored.Content.Id} {string.Join('|', stored.Content.Tags)} {Encoding.UTF8.GetString(stored.Content.Json)} {Encoding.UTF8.GetString(stored.Content.Metadata)}";
}
