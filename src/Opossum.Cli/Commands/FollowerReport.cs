using System.Text.Json.Serialization;

namespace Opossum.Cli.Commands;

/// <summary>A projection or a reaction in the report of its list.</summary>
/// <param name="Status">Its status; null when it cannot be read, as are all other members then.</param>
/// <param name="Problem">Why it cannot be read; null when it can.</param>
internal abstract record FollowerReport<TStatus>(string Name, [property: JsonIgnore] TStatus? Status, string? Problem)
    where TStatus : FollowerStatus
{
    public long? Position => Status?.Position;

    /// <summary>The store's last position.</summary>
    public long? Head => Status?.Head;

    /// <summary>The number of events after its position.</summary>
    public long? Lag => Status?.Lag;

    public IReadOnlyList<long> Skipped => Status?.Skipped ?? [];

    /// <summary>The requests that no process has carried out yet.</summary>
    public int OpenRequests => Status?.OpenRequests ?? 0;
}
