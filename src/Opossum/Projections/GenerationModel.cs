using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>model.json: what the states of a generation are.</summary>
/// <param name="Format">The format of its files.</param>
/// <param name="Version">The version of the projection that built it.</param>
/// <param name="Id">Tells this build from every other, whatever its folder's name.</param>
/// <param name="Requests">The requests to build again that it fulfils.</param>
internal sealed record GenerationModel(int Format, int Version, Guid Id, IReadOnlyList<Guid> Requests)
{
    public static GenerationModel? Read(IFileSystem fileSystem, Generation generation)
    {
        if (ProjectionFile.Read(fileSystem, generation.ModelFile) is not { } json)
            return null;
        return new GenerationModel(json.GetProperty("format").GetInt32(), json.GetProperty("version").GetInt32(), json.GetProperty("id").GetGuid(),
            [.. json.GetProperty("requests").EnumerateArray().Select(static each => each.GetGuid())]);
    }

    public void Write(IFileSystem fileSystem, Generation generation, string name, DateTimeOffset begun) => ProjectionFile.Write(fileSystem, generation.ModelFile, json =>
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
}
