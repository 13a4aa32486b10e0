using System.Globalization;
using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>A run in words.</summary>
internal static class RaceText
{
    public static IEnumerable<string> Lines(RaceRun run)
    {
        var lines = run.Calls.Where(static call => call.Kind != RaceCallKind.Attempt).Select(call => $"{run.Actors[call.Actor].Name}: {Of(call)}");
        var ends = run.Actors.Where(static actor => actor.Error is not null and not AppendConditionFailedException)
            .Select(static actor => $"{actor.Name}: throws {actor.Error!.GetType().Name}: {actor.Error.Message}");
        return lines.Concat(ends);
    }

    private static string Of(RaceCall call) => call.Kind switch
    {
        RaceCallKind.Read => string.Create(CultureInfo.InvariantCulture,
            $"reads {call.Query}: {call.Returned} {(call.Returned == 1 ? "event" : "events")}, head {call.Head}"),
        RaceCallKind.ReadHead => string.Create(CultureInfo.InvariantCulture, $"reads the head: {call.Head}"),
        RaceCallKind.SideEffect => $"side effect: {call.Effect}",
        _ => $"appends {Events(call.Events)}{Condition(call.Condition)}: {Outcome(call)}",
    };

    // The store refuses null, in the list as well as instead of it.
    private static string Events(IReadOnlyList<NewEvent?>? events) =>
        events is null ? "null" : string.Join(" and ", events.Select(static e => e is null ? "null" : EventText.Of(e)));

    private static string Condition(AppendCondition? condition) => condition is null
        ? " without a condition"
        : string.Create(CultureInfo.InvariantCulture, $" unless {condition.FailIfEventsMatch} matches after {condition.After ?? 0}");

    private static string Outcome(RaceCall call) => call switch
    {
        { Appended: { } appended } => string.Create(CultureInfo.InvariantCulture, $"stored as event {appended.LastPosition}"),
        { Conflict: { } conflict } => string.Create(CultureInfo.InvariantCulture, $"fails, event {conflict.ConflictingPosition} matches"),
        _ => $"refused, {call.Refusal?.Message ?? "no answer"}",
    };
}
