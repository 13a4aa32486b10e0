using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>An append that was tried: its events, its condition, and what its caller was told.</summary>
internal sealed class Attempt(IReadOnlyList<NewEvent> events, AppendCondition? condition)
{
    public IReadOnlyList<NewEvent> Events => events;

    public AppendCondition? Condition => condition;

    public Answer Answer { get; private set; }

    /// <summary>Where its caller was told that the events are; null when no position was told.</summary>
    public AppendResult? Result { get; private set; }

    public Exception? Error { get; private set; }

    /// <summary>Whether a power cut must not take it any more.</summary>
    public bool IsDurable { get; set; }

    public Attempt Copy() => new(Events, Condition) { Answer = Answer, Result = Result, Error = Error, IsDurable = IsDurable };

    public void Succeed(AppendResult result, bool isDurable)
    {
        (Answer, Result, IsDurable) = (Answer.Stored, result, isDurable);
    }

    public void Fail(EventStoreException error, bool isDurable)
    {
        Error = error;
        Answer = error is not StoreFaultedException { Outcome: var outcome } ? Answer.NothingWritten : outcome switch
        {
            AppendOutcome.Stored => Answer.Stored,
            AppendOutcome.Unknown => Answer.Unknown,
            _ => Answer.NothingWritten,
        };
        IsDurable = Answer == Answer.Stored && isDurable;
    }

    /// <summary>The end of the process or of the power, when that is what the error comes from: then nobody lived to hear it.</summary>
    public static Exception? End(Exception error)
    {
        for (Exception? cause = error; cause is not null; cause = cause.InnerException)
        {
            if (cause is PowerCutException or ProcessKilledException)
                return cause;
        }
        return null;
    }

    /// <summary>Does something until the power is cut or the process killed: nobody hears anything more then.</summary>
    public static void UntilTheEnd(Action play)
    {
        try
        {
            play();
        }
        catch (Exception e) when (End(e) is not null)
        {
            // That was the end.
        }
    }

    public override string ToString() =>
        $"{Answer}{(Result is { } result ? $" {result.FirstPosition}-{result.LastPosition}" : "")} [{string.Join(", ", Events.Select(e => e.Type + " " + string.Join(' ', e.Tags)))}]{(Condition is null ? "" : $" unless {Condition.FailIfEventsMatch} after {Condition.After}")}{(Error is null ? "" : $" ({Error.GetType().Name}: {Error.Message})")}";
}
