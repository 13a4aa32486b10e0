using Opossum;

namespace CourseManagement;

/// <summary>Lets a client see what it has just written, although the lists follow the events a moment later.</summary>
internal static class ReadYourWrites
{
    private static readonly TimeSpan patience = TimeSpan.FromSeconds(5);

    /// <summary>Waits until a read model counts the event at a position, as a command's answer gave it.</summary>
    /// <param name="models">The read model.</param>
    /// <param name="after">The position; null: no wait.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="TimeoutException">The read model did not get there in time.</exception>
    public static async Task CatchUpAsync<TState>(this IProjectionStore<TState> models, long? after, CancellationToken cancellationToken)
        where TState : class
    {
        if (after is { } position)
            await models.WaitForAsync(position, cancellationToken).WaitAsync(patience, cancellationToken);
    }
}
