namespace Opossum.AspNetCore.Pages;

/// <summary>A reaction as its page shows it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="State">What it does, in words.</param>
/// <param name="Position">The position up to which events were looked at.</param>
/// <param name="Lag">The number of events after it.</param>
/// <param name="Open">How many events, or ranges of events, up to it are not handled yet.</param>
/// <param name="Failing">How many of them have failed and are retried.</param>
/// <param name="Parked">How many events are parked.</param>
/// <param name="Error">Why it is halted, or what stops it for now.</param>
/// <param name="Stored">What its files show; null: it has none yet, or they cannot be read.</param>
internal sealed record ReactionRow(string Name, string State, long Position, long Lag, long Open, long Failing, long Parked, string? Error,
    StoredReaction? Stored = null)
{
    /// <summary>The text of <see cref="State"/> for one that handles nothing until somebody says from where.</summary>
    public const string Halted = "Halted";

    /// <summary>Reads the data of the store's health check, which knows the reactions that this app runs.</summary>
    public static ReactionRow Of(string name, IReadOnlyDictionary<string, object?> data)
    {
        var (lag, open, error) = ((long)data["lag"]!, (int)data["open"]!, (string?)data["error"]);
        var phase = (string)data["phase"]!;
        var state = phase switch
        {
            nameof(ReactionPhase.Running) when !(bool)data["isLeader"]! => "On another process, or none",
            nameof(ReactionPhase.Running) when error is not null => "Waiting for the problem below to end",
            nameof(ReactionPhase.Running) when lag == 0 && open == 0 => "Waiting for events",
            _ => phase,
        };
        return new ReactionRow(name, state, (long)data["position"]!, lag, open, (int)data["failing"]!, (int)data["parked"]!, error);
    }

    /// <summary>One that this app does not run, as its files show it.</summary>
    public static ReactionRow Of(StoredReaction stored) => new(stored.Name, stored.Halt is null ? "Not run by this app" : Halted, stored.Position,
        Math.Max(0, stored.Head - stored.Position), stored.Open, stored.Failing, stored.Parked.Count, stored.Halt, stored);
}
