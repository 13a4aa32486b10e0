using System.Globalization;
using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>
/// database.json: what the row of a projection into a database was, for processes that do not know the database.
/// </summary>
internal static class RowFile
{
    /// <summary>Reads the file; null if it is missing.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static PositionRow? Read(IFileSystem fileSystem, ProjectionLayout layout) =>
        CheckedFile.Read(fileSystem, layout.RowFile, static members => Of(members));

    public static void Write(IFileSystem fileSystem, ProjectionLayout layout, PositionRow row) =>
        CheckedFile.Write(fileSystem, layout.RowFile, json =>
        {
            json.WriteString("name"u8, row.Name);
            json.WriteNumber("version"u8, row.Version);
            json.WriteNumber("term"u8, row.Term);
            json.WriteNumber("position"u8, row.Position);
            json.WriteNumber("target"u8, row.Target);
            if (row.Fault is not { } fault)
                return;
            json.WriteNumber("faultPosition"u8, fault.Position);
            json.WriteString("faultType"u8, fault.EventType);
            json.WriteString("faultError"u8, fault.Error);
            json.WriteString("faultAt"u8, fault.At.UtcDateTime.ToString("O", CultureInfo.InvariantCulture));
        });

    private static PositionRow Of(JsonElement members)
    {
        var row = new PositionRow
        {
            Name = CheckedFile.GetText(members, "name"),
            Version = members.GetProperty("version").GetInt32(),
            // Files of former releases have none.
            Term = members.TryGetProperty("term", out var term) ? term.GetInt64() : 0,
            Position = CheckedFile.GetPosition(members, "position"),
            Target = CheckedFile.GetPosition(members, "target"),
        };
        return !members.TryGetProperty("faultPosition", out _) ? row : row with
        {
            FaultPosition = CheckedFile.GetPosition(members, "faultPosition"),
            FaultType = CheckedFile.GetText(members, "faultType"),
            FaultError = CheckedFile.GetText(members, "faultError"),
            FaultAt = members.GetProperty("faultAt").GetDateTimeOffset(),
        };
    }
}
