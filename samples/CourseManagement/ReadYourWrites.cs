using Opossum;

namespace CourseManagement;

/// <summary>Lets a client see its own writes, although the lists follow the events with a short delay.</summary>
internal static class ReadYourWrites
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(5);

    /// <summary>Waits until a read model includes the event at the position that a command returned.</summary>
    /// <param name="models">The read model.</param>
    /// <param name="after">The position; null to not wait.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">The read model did not reach the position in time.</exception>
    public static async Task CatchUpAsync<TState>(this IProjectionStore<TState> models, long? after, CancellationToken cancellationToken)
        where TState : class
    {
        if (after is { } position)
            await models.WaitForAsync(position, cancellationToken).WaitAsync(patience, cancellationToken);
    }
}
