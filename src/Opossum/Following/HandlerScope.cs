namespace Opossum.Following;

/// <summary>
/// Marks what runs inside of a handler of a runner. A stop waits until the handlers have returned, and so do some requests, so a handler that waited
/// for that would wait for itself.
/// </summary>
internal sealed class HandlerScope : IDisposable
{
    private static readonly AsyncLocal<HandlerScope?> current = new();

    private readonly FollowerHost host;
    private readonly string what;
    private volatile bool hasEnded;

    private HandlerScope(FollowerHost host, string what)
    {
        this.host = host;
        this.what = what;
    }

    /// <summary>Enters the handlers of what a runner runs; the result leaves them.</summary>
    /// <param name="host">The runner's environment.</param>
    /// <param name="what">What the handlers belong to, as in "the reaction mails".</param>
    public static HandlerScope Enter(FollowerHost host, string what) => current.Value = new HandlerScope(host, what);

    /// <summary>Throws inside of a handler of that runner.</summary>
    /// <param name="host">The runner's environment.</param>
    /// <param name="action">What would wait for the handler.</param>
    /// <param name="of">What the handlers belong to for which it would wait; null: all that the runner runs.</param>
    /// <exception cref="InvalidOperationException">The caller is inside of a handler.</exception>
    public static void ThrowIfInside(FollowerHost host, string action, string? of = null)
    {
        if (current.Value is { hasEnded: false } scope && ReferenceEquals(scope.host, host) && (of is null || scope.what == of))
        {
            throw new InvalidOperationException($"{action} inside of a handler of {scope.what} would wait for that handler to return, and so "
                + "for itself. Let the handler return first. To stop the app, call IHostApplicationLifetime.StopApplication, which does not wait.");
        }
    }

    // What the handler has started and not awaited still has this scope.
    public void Dispose() => hasEnded = true;
}
