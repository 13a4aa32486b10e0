namespace Opossum.Testing.Reacting;

/// <summary>A user's reaction as a scenario runs it: from the first event that is not given, with a step before each handler.</summary>
internal sealed class WatchedReaction : Reaction
{
    private const int AttemptsMax = 5;

    private readonly Reaction inner;
    private readonly CrashSteps steps;
    private readonly Dictionary<long, int> failures = [];

    public WatchedReaction(Reaction inner, long firstPosition, CrashSteps steps)
        : base(inner.Name)
    {
        this.inner = inner;
        this.steps = steps;
        StartFrom(ReactionStart.After(firstPosition - 1));
        KeyBy(WatchKey);
        foreach (var type in inner.Query.Items.SelectMany(static item => item.Types))
            On(type, WatchAsync);
    }

    /// <summary>What is being handled; null: nothing.</summary>
    public ReactionContext? Current { get; private set; }

    /// <summary>
    /// The error of an event whose key or whose every attempt has failed, or one that the reaction calls permanent; null: there is none.
    /// </summary>
    public (SequencedEvent Event, Exception Error, bool IsPermanent)? Failure { get; private set; }

    private string WatchKey(SequencedEvent e)
    {
        try
        {
            return inner.KeyOf(e);
        }
        catch (Exception error)
        {
            Failure ??= (e, error, false);
            throw;
        }
    }

    private async Task WatchAsync(ReactionContext context, CancellationToken cancellationToken)
    {
        steps.PassToHandler($"attempt {context.Attempt} at event {context.Event.Position}");
        Current = context;
        try
        {
            await inner.HandleAsync(context, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (steps.EndedBefore is null)
        {
            failures[context.Event.Position] = failures.GetValueOrDefault(context.Event.Position) + 1;
            var isPermanent = inner.Judge(e);
            if (isPermanent || failures[context.Event.Position] == AttemptsMax)
                Failure = (context.Event, e, isPermanent);
            throw;
        }
        finally
        {
            Current = null;
        }
    }
}
