using System.Globalization;
using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>fault.json: the event that a generation has stopped at, for all processes to see.</summary>
internal static class FaultFile
{
    public static ProjectionFault? Read(IFileSystem fileSystem, Generation generation)
    {
        if (ProjectionFile.Read(fileSystem, generation.FaultFile) is not { } json)
            return null;
        return new ProjectionFault(json.GetProperty("position").GetInt64(), json.GetProperty("eventType").GetString()!, json.GetProperty("error").GetString()!, json.GetProperty("at").GetDateTimeOffset());
    }

    public static void Write(IFileSystem fileSystem, Generation generation, ProjectionFault fault) => ProjectionFile.Write(fileSystem, generation.FaultFile, json =>
    {
        json.WriteNumber("position"u8, fault.Position);
        json.WriteString("eventType"u8, fault.EventType);
        json.WriteString("error"u8, fault.Error);
        json.WriteString("at"u8, fault.At.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
    });

    public static void Delete(IFileSystem fileSystem, Generation generation) => fileSystem.Delete(generation.FaultFile);
}
