using System.Buffers;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Reactions.Files;

/// <summary>How far a reaction is: every event up to a position was given out, and these of them are not done.</summary>
/// <param name="Turn">The number of the write; of two files, the one with the higher number counts.</param>
/// <param name="At">The last event that may have been given to a handler.</param>
/// <param name="Open">From which to which event that the reaction handles they are not done, ascending; both inclusive.</param>
/// <param name="Interrupted">At each take-over, the position up to which events may have been being handled, now or under a former key.</param>
/// <param name="Attempts">
/// The open events whose attempts are counted, how many may have begun, and how many of them failed or may have ended with their process.
/// </param>
/// <param name="Parked">The positions of the parked events, and how many attempts of each may have begun.</param>
/// <param name="Behind">
/// The keys, by their hashes, whose events after a position are not given out yet, and the positions of events with the key, at least one: as long
/// as one of them is parked, they wait.
/// </param>
internal sealed record ReactionCheckpoint(long Turn, EventAt At, IReadOnlyList<(long From, long To)> Open, IReadOnlyList<long> Interrupted,
    IReadOnlyList<(long Position, int Begun, int Charged)> Attempts, IReadOnlyList<(long Position, int Begun)> Parked,
    IReadOnlyList<(string Key, long After, IReadOnlyList<long> Of)> Behind)
{
    // 16,384 open events, each with its attempts, and 2,000 parked ones, in the longest digits.
    private const int BytesMax = 3 * 1024 * 1024;

    /// <summary>The interruptions at which a process ended without returning from its handlers, as far as it is known.</summary>
    public IReadOnlyList<long> Crashed { get; init; } = [];

    /// <summary>Whether the leader's handlers had returned when it was written, and none began after that.</summary>
    public bool HasEnded { get; init; }

    /// <summary>The event types that the leader handles; null: it has not said so.</summary>
    public IReadOnlyList<string>? Types { get; init; }

    /// <summary>The same with the events after one to be handled again, or for the first time.</summary>
    public ReactionCheckpoint From(EventAt e) => this with
    {
        At = e,
        Open = [.. Open.Where(open => open.From <= e.Position).Select(open => (open.From, Math.Min(open.To, e.Position)))],
        Interrupted = [.. Interrupted, At.Position],
        Crashed = [.. Crashed.Select(each => Math.Min(each, e.Position))],
        Attempts = [.. Attempts.Where(each => each.Position <= e.Position)],
        Parked = [.. Parked.Where(each => each.Position <= e.Position)],
        Behind = [.. Behind.Select(each => each with { After = Math.Min(each.After, e.Position), Of = [.. each.Of.Where(of => of <= e.Position)] })
            .Where(static each => each.Of.Count > 0)],
    };

    /// <summary>Writes it over the older of two files. A crash during the write leaves the other file.</summary>
    /// <param name="length">How long the file's text may be, before and after; what is shorter is followed by blanks.</param>
    /// <param name="flush">Whether it is made durable.</param>
    public void Overwrite(IFile file, ref int length, bool flush)
    {
        var buffer = new ArrayBufferWriter<byte>(1024);
        using var json = JsonFile.NewWriter(buffer);
        json.WriteStartObject();
        WriteMembers(json);
        JsonFile.Seal(json, buffer, 0);
        var text = buffer.WrittenSpan;
        if (text.Length < length)
        {
            var blanks = buffer.GetSpan(length - text.Length)[..(length - text.Length)];
            blanks.Fill((byte)' ');
            buffer.Advance(blanks.Length);
        }
        // Before the write: one that fails may have written all of it, or a part.
        length = buffer.WrittenCount;
        file.Write(buffer.WrittenSpan, 0);
        if (flush)
            file.Flush();
    }

    /// <summary>Writes it into a new file, atomically, and makes it durable.</summary>
    public void Create(IFileSystem fileSystem, string path) => CheckedFile.Write(fileSystem, path, WriteMembers);

    /// <summary>The checkpoint in a file; null when there is no such file, or when a crash has torn it.</summary>
    /// <param name="problem">What is wrong, as the end of a sentence that starts with the file; null when it is valid or missing.</param>
    public static ReactionCheckpoint? TryRead(IFileSystem fileSystem, string path, out string? problem)
    {
        problem = null;
        try
        {
            return CheckedFile.Read(fileSystem, path, BytesMax,
                bytes => (JsonFile.ParseChecked(bytes.AsSpan().TrimEnd((byte)' '), Of, out var wrong), wrong));
        }
        catch (DamagedFileException e)
        {
            problem = e.Problem;
            return null;
        }
    }

    private void WriteMembers(Utf8JsonWriter json)
    {
        json.WriteNumber("turn"u8, Turn);
        json.WriteNumber("position"u8, At.Position);
        json.WriteString("id"u8, At.Id);
        WritePairs(json, "open", Open, static (json, each) => (each.From, each.To));
        WritePositions(json, "interrupted", Interrupted);
        WritePositions(json, "crashed", Crashed);
        json.WriteBoolean("ended"u8, HasEnded);
        WritePairs(json, "attempts", Attempts, static (json, each) => (each.Position, each.Begun));
        WritePairs(json, "charged", Attempts, static (json, each) => (each.Position, each.Charged));
        WritePairs(json, "parked", Parked, static (json, each) => (each.Position, each.Begun));
        json.WriteStartObject("behind"u8);
        foreach (var (key, after, of) in Behind)
        {
            json.WriteStartArray(key);
            json.WriteNumberValue(after);
            foreach (var each in of)
                json.WriteNumberValue(each);
            json.WriteEndArray();
        }
        json.WriteEndObject();
        if (Types is null)
            return;
        json.WriteStartArray("types"u8);
        foreach (var type in Types)
            json.WriteStringValue(type);
        json.WriteEndArray();
    }

    private static void WritePositions(Utf8JsonWriter json, string name, IReadOnlyList<long> positions)
    {
        json.WriteStartArray(name);
        foreach (var each in positions)
            json.WriteNumberValue(each);
        json.WriteEndArray();
    }

    private static void WritePairs<T>(Utf8JsonWriter json, string name, IReadOnlyList<T> pairs, Func<Utf8JsonWriter, T, (long, long)> of)
    {
        json.WriteStartArray(name);
        foreach (var each in pairs)
        {
            var (one, two) = of(json, each);
            json.WriteStartArray();
            json.WriteNumberValue(one);
            json.WriteNumberValue(two);
            json.WriteEndArray();
        }
        json.WriteEndArray();
    }

    private static ReactionCheckpoint Of(JsonElement members) => new(
        members.GetProperty("turn").GetInt64(),
        new EventAt(CheckedFile.GetPosition(members, "position"), members.GetProperty("id").GetGuid()),
        [.. PairsOf(members, "open")],
        [.. PositionsOf(members.GetProperty("interrupted"))],
        [.. AttemptsOf(members)],
        [.. CountsOf(members, "parked")],
        [.. members.GetProperty("behind").EnumerateObject().Select(static each => WaitingOf(each.Name, [.. PositionsOf(each.Value)]))])
    {
        Crashed = [.. PositionsOf(members.GetProperty("crashed"))],
        HasEnded = members.GetProperty("ended").GetBoolean(),
        Types = members.TryGetProperty("types", out var types) ? [.. types.EnumerateArray().Select(static each => each.GetString()!)] : null,
    };

    private static IEnumerable<long> PositionsOf(JsonElement positions) => positions.EnumerateArray().Select(static each => each.GetInt64());

    private static (string Key, long After, IReadOnlyList<long> Of) WaitingOf(string key, long[] positions) =>
        positions is [var after, .. { Length: > 0 } of] ? (key, after, of)
        : throw new FormatException("A key that waits has no position.");

    private static IEnumerable<(long Position, int Begun, int Charged)> AttemptsOf(JsonElement members)
    {
        var charged = CountsOf(members, "charged").ToDictionary();
        return CountsOf(members, "attempts").Select(each => (each.Position, each.Count, charged[each.Position]));
    }

    private static IEnumerable<(long Position, int Count)> CountsOf(JsonElement members, string name) =>
        PairsOf(members, name).Select(static each => (each.One, (int)Math.Clamp(each.Two, 0, int.MaxValue / 2)));

    private static IEnumerable<(long One, long Two)> PairsOf(JsonElement members, string name) =>
        members.GetProperty(name).EnumerateArray().Select(PairOf);

    private static (long One, long Two) PairOf(JsonElement pair) => pair.GetArrayLength() == 2
        ? (pair[0].GetInt64(), pair[1].GetInt64())
        : throw new FormatException("Its members are not pairs of numbers.");
}
