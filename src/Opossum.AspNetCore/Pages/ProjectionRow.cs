namespace Opossum.AspNetCore.Pages;

/// <summary>A projection as its page shows it.</summary>
internal sealed record ProjectionRow(string Name, string Phase, long Position, long Lag, int Version, bool IsLeader, string? Error, bool HasStates)
{
    /// <summary>Reads the data of the store's health check.</summary>
    public static ProjectionRow Of(string name, IReadOnlyDictionary<string, object?> data) => new(name, (string)data["phase"]!,
        (long)data["position"]!, (long)data["lag"]!, (int)data["version"]!, (bool)data["isLeader"]!, (string?)data["error"], HasStates: false);
}
