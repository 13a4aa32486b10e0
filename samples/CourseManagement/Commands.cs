using Opossum;

namespace CourseManagement;

/// <summary>What all commands do: read the facts, decide for one event, append it if the facts are still the same, and tell its position.</summary>
internal static class Commands
{
    /// <summary>Carries out a command.</summary>
    /// <param name="store">The store.</param>
    /// <param name="facts">What the decision rests on.</param>
    /// <param name="decide">Gives the event, or throws a <see cref="RefusedException"/>. Called again when others were faster.</param>
    /// <param name="cancellationToken">The request's end.</param>
    public static async Task<Recorded> DecideAsync<TFacts>(this IEventStore store, DecisionProjection<TFacts> facts, Func<TFacts, object> decide, CancellationToken cancellationToken)
    {
        var result = await store.ExecuteDecisionAsync(facts, known => [new NewEvent(decide(known))], cancellationToken: cancellationToken);
        return new Recorded(result.Appended!.Value.LastPosition);
    }
}
