using Opossum.Testing.Given;

namespace Opossum.Testing.Reacting;

/// <summary>Compares what a reaction has done in a run with a crash with what it does without one.</summary>
internal static class CrashJudge
{
    /// <summary>What is wrong; null: nothing.</summary>
    public static string? Find(ReactionOutcome undisturbed, ReactionOutcome outcome)
    {
        if (!Shapes(undisturbed).SequenceEqual(Shapes(outcome)))
        {
            return EventText.List("The reaction appended other events than without a crash.\nWithout a crash", undisturbed.Appended) + "\n"
                + EventText.List("Actual", outcome.Appended) + "\n" + Calls(outcome)
                + "\nA handler runs again after a crash. Only what it appends by its context, with the calls in the same order at every attempt, is "
                + "stored once.";
        }
        if (!Effects(undisturbed).SequenceEqual(Effects(outcome)))
        {
            return EventText.List("The reaction's calls have other effects than without a crash.\nWithout a crash", Calls(undisturbed.Calls)) + "\n"
                + Calls(outcome)
                + "\nA handler runs again after a crash. A receiver that does a thing once for each key needs the same key at every attempt: "
                + "context.IdempotencyKey.";
        }
        return null;
    }

    public static string Calls(ReactionOutcome outcome) => EventText.List("Calls", Calls(outcome.Calls));

    private static IEnumerable<string> Calls(IEnumerable<ReactionCall> calls) => calls.Select(static call => call.ToString());

    // Without the data, which may contain a time or a new id.
    private static IEnumerable<string> Shapes(ReactionOutcome outcome) => outcome.Appended
        .Select(static e => $"{e.Type} {string.Join(' ', EventText.OwnTags(e.Tags).Select(Shape).Order(StringComparer.Ordinal))}")
        .Order(StringComparer.Ordinal);

    // Each run's store has a key of its own, and another hash for the same value.
    private static string Shape(Tag tag) => tag.MayBeStoredPseudonym ? $"{tag.Key}:(pseudonym)" : $"{tag}";

    // A call with a key has its effect once for each key; one without may have it several times.
    private static IEnumerable<string> Effects(ReactionOutcome outcome) => outcome.Calls
        .DistinctBy(static call => (call.What, call.IdempotencyKey))
        .Select(static call => call.What)
        .Order(StringComparer.Ordinal);
}
