using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Personal;

/// <summary>
/// The note in the store's folder that it has encrypted values, and which store key they need. It is copied with the store, wherever the keys are:
/// where it is and the key is not, no other key is made.
/// </summary>
/// <param name="KeyId">The id of the store's key; null: it is not known, as after an import, or the note is damaged.</param>
internal sealed record StoreKeyMark(string? KeyId)
{
    /// <summary>The note of a store that has encrypted values, it is not known of which key.</summary>
    public static readonly StoreKeyMark Unknown = new((string?)null);

    private const int LengthMax = 4096;
    private const string KeyMember = "storeKey";

    /// <summary>Reads the note; null when there is none.</summary>
    public static StoreKeyMark? Read(IFileSystem fileSystem, StoreLayout layout)
    {
        if (SmallFile.Read(fileSystem, layout.PersonalFile, LengthMax) is not { } bytes)
            return null;
        // Nobody made a file of this name without a reason: the events tell which key it is.
        return JsonFile.Parse(bytes, static json => new StoreKeyMark(json.GetProperty(KeyMember).GetString()), out _) ?? Unknown;
    }

    /// <summary>Writes the note, durably, under the store's lock.</summary>
    public void Write(IFileSystem fileSystem, StoreLayout layout) => DurableFile.Replace(fileSystem, layout.PersonalFile, JsonFile.Of(json =>
    {
        json.WriteStartObject();
        json.WriteString(KeyMember, KeyId);
        json.WriteEndObject();
    }));

    /// <summary>The id, as a person names the key.</summary>
    public override string ToString() => KeyId ?? "unknown";
}
