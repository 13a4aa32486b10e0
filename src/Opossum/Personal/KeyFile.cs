using System.Globalization;
using System.Text.Json;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>A file of the folder of keys: a person's key, or the mark that the person was forgotten.</summary>
/// <param name="At">When the key was made, or removed.</param>
/// <param name="Key">The encrypted key; null: the person was forgotten.</param>
/// <param name="Reason">Why the person was forgotten.</param>
/// <param name="EventId">The id of the event that says so; empty: that of the person's other name says it.</param>
internal sealed record KeyFile(Tag Subject, DateTimeOffset At, byte[]? Key, string? Reason, Guid EventId)
{
    /// <summary>The id of the key, by which a value is known as one of its; null when the file does not state it.</summary>
    public byte[]? KeyId { get; init; }

    /// <summary>Whether it is known to be durable. If not, the process that made it may be about to flush it, or have ended before.</summary>
    public bool IsDurable { get; init; }

    /// <summary>
    /// Whether it is the mark under the pseudonym of a person who was forgotten by the identifier, and had no key under the pseudonym.
    /// </summary>
    public bool IsOfOtherName => Key is null && EventId == Guid.Empty;

    /// <summary>The longest file: a subject and a reason of the greatest lengths, each character escaped, and the key.</summary>
    public const int LengthMax = 128 * 1024;

    /// <summary>The last byte of a file of a key: a blank, until the file is durable.</summary>
    public const byte EndOfDurable = (byte)'\n', EndUntilDurable = (byte)' ';

    private const string SubjectMember = "subject";
    private const string CreatedMember = "created";
    private const string IdMember = "id";
    private const string KeyMember = "key";
    private const string ForgottenMember = "forgotten";
    private const string ReasonMember = "reason";
    private const string EventMember = "event";

    public static KeyFile OfKey(Tag subject, DateTimeOffset at, byte[] key, byte[]? id) =>
        new(subject, at, key, Reason: null, Guid.Empty) { KeyId = id };

    public static KeyFile OfForgotten(Tag subject, DateTimeOffset at, string reason, Guid eventId) => new(subject, at, Key: null, reason, eventId);

    public byte[] ToBytes() => JsonFile.Of(json =>
    {
        json.WriteStartObject();
        json.WriteString(SubjectMember, Subject.ToString());
        json.WriteString(Key is null ? ForgottenMember : CreatedMember, At.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        if (Key is null)
        {
            json.WriteString(ReasonMember, Reason);
            if (!IsOfOtherName)
                json.WriteString(EventMember, EventId);
        }
        else
        {
            if (KeyId is not null)
                json.WriteString(IdMember, Convert.ToHexStringLower(KeyId));
            json.WriteBase64String(KeyMember, Key);
        }
        json.WriteEndObject();
    });

    /// <summary>Reads a file.</summary>
    /// <param name="bytes">Its bytes.</param>
    /// <param name="problem">What is wrong, as the end of a sentence that begins with its path; null when nothing is.</param>
    public static KeyFile? Parse(ReadOnlySpan<byte> bytes, out string? problem)
    {
        if (bytes.Length > LengthMax)
        {
            problem = "is damaged: it is longer than any file of a key";
            return null;
        }
        var read = JsonFile.Parse(bytes, Of, out problem);
        // The cause is left out, because its message may quote the text.
        problem = problem is null ? null : "is damaged: it is not the file of a person's key";
        return read?.Key is null ? read : read with { IsDurable = bytes[^1] != EndUntilDurable };
    }

    /// <summary>
    /// Whether a process ended before it had written the file: it is empty, has zeros or lacks its end. It was flushed before anything was encrypted
    /// with its key, so the key was never used.
    /// </summary>
    public static bool IsUnfinished(ReadOnlySpan<byte> bytes) =>
        bytes.Length <= LengthMax && (bytes.Contains((byte)0) || !bytes.TrimEnd(" \r\n\t"u8).EndsWith("}"u8));

    private static KeyFile Of(JsonElement members)
    {
        var subject = Tag.ParsePerson(members.GetProperty(SubjectMember).GetString()!);
        return members.TryGetProperty(KeyMember, out var key)
            ? OfKey(subject, members.GetProperty(CreatedMember).GetDateTimeOffset(), key.GetBytesFromBase64(),
                members.TryGetProperty(IdMember, out var id) ? Convert.FromHexString(id.GetString()!) : null)
            : OfForgotten(subject, members.GetProperty(ForgottenMember).GetDateTimeOffset(), members.GetProperty(ReasonMember).GetString()!,
                members.TryGetProperty(EventMember, out var e) ? e.GetGuid() : Guid.Empty);
    }
}
