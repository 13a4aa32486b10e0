using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>fault.json: the event at which a generation has stopped, visible to all processes.</summary>
internal static class FaultFile
{
    /// <summary>Reads the file; null if it is missing.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static ProjectionFault? Read(IFileSystem fileSystem, Generation generation) => CheckedFile.Read(fileSystem, generation.FaultFile, Of);

    public static void Write(IFileSystem fileSystem, Generation generation, ProjectionFault fault) =>
        CheckedFile.Write(fileSystem, generation.FaultFile, json =>
    {
        json.WriteNumber("position"u8, fault.Position);
        json.WriteString("eventType"u8, fault.EventType);
        json.WriteString("error"u8, fault.Error);
        json.WriteString("at"u8, fault.At.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
    });

    /// <summary>Deletes the file, also under the name that it had when a crash came.</summary>
    public static void Delete(IFileSystem fileSystem, Generation generation)
    {
        fileSystem.Delete(LedFolder.StagingOf(generation.FaultFile));
        fileSystem.Delete(generation.FaultFile);
    }

    private static ProjectionFault Of(JsonElement members) => new()
    {
        Position = CheckedFile.GetPosition(members, "position"),
        EventType = CheckedFile.GetText(members, "eventType"),
        Error = CheckedFile.GetText(members, "error"),
        At = members.GetProperty("at").GetDateTimeOffset(),
    };
}
