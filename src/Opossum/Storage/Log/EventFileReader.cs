using System.Globalization;
using System.Text;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Storage.Log;

/// <summary>Reads an event file in one pass: its members, validated as strictly as appended events, and the checksum of its canonical text.</summary>
internal ref struct EventFileReader
{
    private readonly ReadOnlySpan<byte> file;
    private Utf8JsonReader reader;
    private uint crc = Crc32C.Begin;

    public EventFileReader(ReadOnlySpan<byte> file)
    {
        this.file = CanonicalText.WithoutByteOrderMark(file);
        reader = new Utf8JsonReader(this.file, EventFile.ReaderOptions);
    }

    /// <summary>Whether the file states a checksum and its canonical text matches it.</summary>
    public bool ChecksumFits { get; private set; }

    /// <summary>Reads the whole file.</summary>
    /// <param name="takesUnknown">Whether one unknown member may follow the metadata.</param>
    /// <param name="needsChecksum">Whether it must end with a checksum. The caller decides about one that does not match.</param>
    /// <exception cref="Exception">It is not an event file: a <see cref="JsonException"/>, <see cref="FormatException"/>,
    /// <see cref="InvalidOperationException"/> or <see cref="ArgumentException"/>.</exception>
    public StoredEvent Read(bool takesUnknown, bool needsChecksum)
    {
        Expect(JsonTokenType.StartObject);
        ExpectMember("{\"position\":"u8);
        var position = ReadPosition();
        ExpectMember(",\"type\":"u8);
        var type = ReadText();
        NameRules.CheckEventType(type, "type");
        reader.Read();
        var version = TakeMember(",\"version\":"u8) ? ReadVersion() : 1;
        var tags = ReadTags();
        ExpectMember(",\"timestamp\":"u8);
        var timestamp = ReadTimestamp();
        ExpectMember(",\"id\":"u8);
        var id = Guid.ParseExact(ReadText(), "D");
        var commit = ReadCommit(position);
        reader.Read();
        var condition = TakeMember(",\"condition\":"u8) ? ReadCondition(position, commit) : null;
        if (!TakeMember(",\"data\":"u8))
            throw new FormatException("the member \"data\" is not where it belongs");
        var json = ReadValue();
        reader.Read();
        var metadata = TakeMember(",\"metadata\":"u8) ? ReadMetadata() : [];
        if (takesUnknown)
            PassOverUnknown();
        var checksum = ReadEnd(needsChecksum);
        return new StoredEvent(new PreparedEvent(type, version, tags, id, json, metadata), position, commit, timestamp.Ticks)
        {
            Checksum = checksum,
            Condition = condition,
        };
    }

    private void Expect(JsonTokenType token)
    {
        if (!reader.Read() || reader.TokenType != token)
            throw new FormatException($"{token} was expected at byte {reader.TokenStartIndex}");
    }

    private void ExpectMember(ReadOnlySpan<byte> name)
    {
        reader.Read();
        if (!TakeMember(name))
            throw new FormatException($"the member {Encoding.UTF8.GetString(name[1..^1])} is not where it belongs");
    }

    // Takes the name as written in canonical text, with the characters around it. An escaped name does not match.
    private bool TakeMember(ReadOnlySpan<byte> name)
    {
        if (reader.TokenType != JsonTokenType.PropertyName || !reader.ValueSpan.SequenceEqual(name[2..^2]))
            return false;
        crc = Crc32C.Add(crc, name);
        return true;
    }

    private long ReadPosition()
    {
        Expect(JsonTokenType.Number);
        crc = Crc32C.Add(crc, reader.ValueSpan);
        return reader.GetInt64();
    }

    private string ReadText()
    {
        Expect(JsonTokenType.String);
        return TakeText();
    }

    private string TakeText()
    {
        crc = Crc32C.Add(crc, file.Slice((int)reader.TokenStartIndex, reader.ValueSpan.Length + 2));
        return reader.GetString()!;
    }

    private int ReadVersion()
    {
        Expect(JsonTokenType.Number);
        crc = Crc32C.Add(crc, reader.ValueSpan);
        var isVersion = reader.TryGetInt32(out var version) && version >= 1;
        reader.Read();
        return isVersion ? version : throw new FormatException("its version is not a number from 1 to 2147483647");
    }

    private Tag[] ReadTags()
    {
        if (!TakeMember(",\"tags\":"u8))
            throw new FormatException("the member \"tags\" is not where it belongs");
        Expect(JsonTokenType.StartArray);
        crc = Crc32C.Add(crc, (byte)'[');
        var tags = new List<Tag>(4);
        while (reader.Read() && reader.TokenType == JsonTokenType.String)
        {
            if (tags.Count > 0)
                crc = Crc32C.Add(crc, (byte)',');
            tags.Add(Tag.Parse(TakeText()));
        }
        crc = Crc32C.Add(crc, (byte)']');
        if (tags.Count > 1 && tags.Distinct().Count() < tags.Count)
            throw new FormatException("it has one tag twice");
        return [.. tags];
    }

    private DateTime ReadTimestamp()
    {
        var timestamp = DateTime.ParseExact(ReadText(), "O", CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind);
        return timestamp.Kind == DateTimeKind.Utc ? timestamp : throw new FormatException("its timestamp is not in UTC");
    }

    private CommitRange ReadCommit(long position)
    {
        ExpectMember(",\"commit\":"u8);
        Expect(JsonTokenType.StartObject);
        ExpectMember("{\"first\":"u8);
        var first = ReadPosition();
        ExpectMember(",\"last\":"u8);
        var last = ReadPosition();
        ExpectMember(",\"after\":"u8);
        var after = ReadPosition();
        Expect(JsonTokenType.EndObject);
        crc = Crc32C.Add(crc, (byte)'}');
        if (first < 1 || first > position || position > last || last > StoreLayout.PositionMax || after < 0 || after >= first)
            throw new FormatException($"its commit (first {first}, last {last}, after {after}) does not fit its position {position}");
        return new CommitRange(first, last, after);
    }

    private KeptCondition ReadCondition(long position, CommitRange commit)
    {
        Expect(JsonTokenType.StartObject);
        ExpectMember("{\"after\":"u8);
        var after = ReadPosition();
        ExpectMember(",\"query\":"u8);
        var query = ReadValue();
        Expect(JsonTokenType.EndObject);
        crc = Crc32C.Add(crc, (byte)'}');
        reader.Read();
        if (position != commit.First)
            throw new FormatException($"it has a condition and is not the first event of its append, which is at position {commit.First}");
        if (after < 0 || after >= position)
            throw new FormatException($"the position {after} in its condition does not fit its position {position}");
        KeptCondition.ThrowIfNoQuery(query);
        return new KeptCondition(after, query);
    }

    // Validated as strictly as appended events: the author of an edited file may have computed its checksum too.
    private byte[] ReadValue()
    {
        reader.Read();
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        var value = file[start..(int)reader.BytesConsumed];
        var json = JsonText.Normalize(value, out var isCanonical);
        crc = isCanonical ? Crc32C.Add(crc, json) : CanonicalText.AddTo(crc, value);
        return json;
    }

    private byte[] ReadMetadata()
    {
        var metadata = ReadValue();
        var members = new Utf8JsonReader(metadata);
        members.Read();
        var isMap = members.TokenType == JsonTokenType.StartObject;
        while (isMap && members.Read() && members.TokenType == JsonTokenType.PropertyName)
            isMap = members.Read() && members.TokenType == JsonTokenType.String;
        if (!isMap)
            throw new FormatException("its metadata is not an object of texts");
        reader.Read();
        return metadata;
    }

    private void PassOverUnknown()
    {
        if (reader.TokenType != JsonTokenType.PropertyName || reader.ValueTextEquals("checksum"u8))
            return;
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        crc = CanonicalText.AddTo(Crc32C.Add(crc, (byte)','), file[start..(int)reader.BytesConsumed]);
        reader.Read();
    }

    private uint ReadEnd(bool needsChecksum)
    {
        var stated = 0u;
        var hasChecksum = reader.TokenType == JsonTokenType.PropertyName && reader.ValueSpan.SequenceEqual("checksum"u8);
        if (hasChecksum)
        {
            Expect(JsonTokenType.String);
            ChecksumFits = ChecksumTrailer.TryParse(reader.ValueSpan, out stated) && stated == Crc32C.End(crc);
            reader.Read();
        }
        if (reader.TokenType != JsonTokenType.EndObject || reader.Read() || (needsChecksum && !hasChecksum))
            throw new FormatException("the member \"checksum\" is not where it belongs");
        return stated;
    }
}
