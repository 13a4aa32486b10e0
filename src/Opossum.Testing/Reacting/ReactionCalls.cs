using Opossum.Testing.Reacting;

namespace Opossum.Testing;

/// <summary>Records what a reaction calls outside the store: the fake of a mail or payment provider records each call here.</summary>
/// <remarks>A process that has crashed calls nothing any more: then <see cref="Record"/> throws, and its caller ends.</remarks>
/// <example><code>
/// internal sealed class RecordedMails(ReactionCalls calls) : IMails
/// {
///     public Task SendAsync(string to, string key)
///     {
///         calls.Record($"mail to {to}", key);
///         return Task.CompletedTask;
///     }
/// }
/// </code></example>
public sealed class ReactionCalls
{
    private readonly CrashSteps steps;
    private readonly Func<ReactionContext?> current;
    private readonly Action<ReactionCall> note;

    internal ReactionCalls(CrashSteps steps, Func<ReactionContext?> current, Action<ReactionCall> note)
    {
        this.steps = steps;
        this.current = current;
        this.note = note;
    }

    /// <summary>Records a call that happens now.</summary>
    /// <param name="what">What is called, without values that differ from run to run, such as <c>mail to ada</c>.</param>
    /// <param name="idempotencyKey">The key that the call carries; the receiver does a thing once for each. Null, the default: it has none.</param>
    /// <exception cref="InvalidOperationException">No handler is running.</exception>
    public void Record(string what, string? idempotencyKey = null)
    {
        ArgumentNullException.ThrowIfNull(what);
        var context = current() ?? throw new InvalidOperationException($"The call \"{what}\" was recorded while no handler was running. A handler "
            + "must wait for its calls.");
        steps.Pass($"the call \"{what}\"");
        note(new ReactionCall
        {
            What = what,
            IdempotencyKey = idempotencyKey,
            Position = context.Event.Position,
            Attempt = context.Attempt,
        });
    }
}
