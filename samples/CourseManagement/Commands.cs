using Opossum;

namespace CourseManagement;

/// <summary>The steps of every command: read the facts, decide on one event, append it if the facts are unchanged, and return its position.</summary>
internal static class Commands
{
    /// <summary>Carries out a command.</summary>
    /// <param name="store">The store.</param>
    /// <param name="facts">The facts that the decision is based on.</param>
    /// <param name="decide">Returns the event, or throws a <see cref="RefusedException"/>. Called again when another append came first.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public static async Task<Recorded> DecideAsync<TFacts>(this IEventStore store, DecisionProjection<TFacts> facts, Func<TFacts, object> decide,
        CancellationToken cancellationToken)
    {
        var result = await store.ExecuteDecisionAsync(facts, known => [new NewEvent(decide(known))], cancellationToken: cancellationToken);
        return new Recorded(result.Appended!.Value.LastPosition);
    }
}
