using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>model.json: the description of a generation's states.</summary>
/// <param name="Version">The version of the projection that built it.</param>
/// <param name="Id">The id of this build, whatever its folder's name.</param>
/// <param name="Requests">The rebuild requests that it fulfils.</param>
internal sealed record GenerationModel(int Format, int Version, Guid Id, IReadOnlyList<Guid> Requests)
{
    /// <summary>Reads the file; null if it is missing.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static GenerationModel? Read(IFileSystem fileSystem, Generation generation) => CheckedFile.Read(fileSystem, generation.ModelFile, Of);

    public void Write(IFileSystem fileSystem, Generation generation, string name, DateTimeOffset begun) =>
        CheckedFile.Write(fileSystem, generation.ModelFile, json =>
    {
        json.WriteNumber("format"u8, Format);
        json.WriteString("name"u8, name);
        json.WriteNumber("version"u8, Version);
        json.WriteString("id"u8, Id);
        json.WriteString("begun"u8, begun.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        json.WriteStartArray("requests"u8);
        foreach (var request in Requests)
            json.WriteStringValue(request);
        json.WriteEndArray();
    });

    private static GenerationModel Of(JsonElement members)
    {
        var (format, version) = (members.GetProperty("format").GetInt32(), members.GetProperty("version").GetInt32());
        if (format < 1 || version < 1)
            throw new FormatException("Its format or its version is not a number from 1.");
        return new GenerationModel(format, version, members.GetProperty("id").GetGuid(),
            [.. members.GetProperty("requests").EnumerateArray().Select(static each => each.GetGuid())]);
    }
}
