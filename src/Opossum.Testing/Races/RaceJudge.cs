using System.Globalization;
using Opossum.Testing.Given;

namespace Opossum.Testing.Races;

/// <summary>Judges a run that has ended: the rules, the side effects, the purity of projections, the tags, and what the store refused.</summary>
internal static class RaceJudge
{
    public static RaceFault? FindFault(RaceRun run, WindowStore window, RaceSetting setting)
    {
        if (run.Calls.FirstOrDefault(static call => call.Refusal is not null) is { Refusal: { } refusal } refused)
        {
            return new RaceFault("refused", $"The store refused a call of \"{run.Actors[refused.Actor].Name}\": {refusal.Message}",
                CanShrink: true);
        }
        if (run.Impurity is { } impurity)
            return new RaceFault("impure", $"In the race, {impurity}.", CanShrink: true);
        var events = new List<SequencedEvent>();
        ReadAsync(window, events).GetAwaiter().GetResult();
        return FindEffect(run) ?? (setting.ChecksTags ? FindForgottenTag(run, events) : null) ?? FindBrokenRule(run, events, setting.Rules);
    }

    private static RaceFault? FindForgottenTag(RaceRun run, List<SequencedEvent> events)
    {
        foreach (var call in run.Calls)
        {
            if (call is { Appended: { } appended, Condition: { } condition } && TagCheck.Find(condition, appended, events) is { } forgotten)
                return new RaceFault("tag", $"\"{run.Actors[call.Actor].Name}\" {forgotten}", CanShrink: true);
        }
        return null;
    }

    private static RaceFault? FindEffect(RaceRun run)
    {
        foreach (var actor in run.Actors)
        {
            var effects = new List<string>();
            var isInAttempt = false;
            foreach (var call in run.Calls.Where(call => call.Actor == actor.Index))
            {
                if (call.Kind == RaceCallKind.SideEffect && isInAttempt)
                    effects.Add(call.Effect!);
                if (call.Conflict is not null && effects.Count > 0)
                {
                    return new RaceFault("effect", $"A side effect of \"{actor.Name}\" happened in an attempt that failed on its condition: "
                        + $"{string.Join(", ", effects)}. Do it after the append, or in a subscription.", CanShrink: true);
                }
                if (call.Kind is RaceCallKind.Append or RaceCallKind.Attempt)
                    effects.Clear();
                isInAttempt = call.Kind != RaceCallKind.Append && (isInAttempt || call.Kind != RaceCallKind.SideEffect);
            }
        }
        return null;
    }

    // A rule is judged after whole appends: between the events of one append, nobody sees the store.
    private static RaceFault? FindBrokenRule(RaceRun run, List<SequencedEvent> events, IReadOnlyList<RaceRule> rules)
    {
        foreach (var call in run.Calls)
        {
            if (call.Appended is not { LastPosition: var last })
                continue;
            var known = last == events.Count ? events : events.GetRange(0, (int)last);
            foreach (var rule in rules)
            {
                if (rule.IsAlways && Explain(rule, known) is { } reason)
                    return Broken(rule, string.Create(CultureInfo.InvariantCulture, $"after event {last}{reason}"));
            }
        }
        foreach (var rule in rules)
        {
            if (!rule.IsAlways && Explain(rule, events) is { } reason)
                return Broken(rule, "at the end" + reason);
        }
        return null;
    }

    private static async Task ReadAsync(WindowStore window, List<SequencedEvent> events)
    {
        await foreach (var e in window.ReadAsync(Query.All).ConfigureAwait(false))
            events.Add(e);
    }

    private static RaceFault Broken(RaceRule rule, string when) =>
        new(rule.Name, $"The rule \"{rule.Name}\" is broken {when}.", rule.IsAlways);

    // Null: it holds.
    private static string? Explain(RaceRule rule, IReadOnlyList<SequencedEvent> events)
    {
        try
        {
            return rule.Holds(events) ? null : "";
        }
        catch (Exception e)
        {
            return $": {e.Message}";
        }
    }
}
