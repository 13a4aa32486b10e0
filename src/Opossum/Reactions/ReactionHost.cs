using Microsoft.Extensions.DependencyInjection;
using Opossum.Diagnostics;
using Opossum.Following;

namespace Opossum.Reactions;

/// <summary>The shared environment of a runner's reactions.</summary>
internal sealed record ReactionHost : FollowerHost
{
    public ReactionHost(FollowerHost host, ReactionOptions options, ReactionAppends appends, long head)
        : base(host)
    {
        (Options, Appends, Head) = (options, appends, head);
        (TakeOverInterval, PollInterval) = (options.TakeOverInterval, options.PollInterval);
    }

    /// <summary>The options; they no longer change.</summary>
    public ReactionOptions Options { get; }

    /// <summary>The appends that count once.</summary>
    public ReactionAppends Appends { get; init; }

    /// <summary>The head when the reactions were started.</summary>
    public long Head { get; init; }

    /// <summary>Throws if the store accepts no appends until it is opened again.</summary>
    public Action ThrowIfFaulted { get; init; } = static () => { };

    /// <summary>Starts a worker: on the pool, or, where every operation must have its place, on the caller's thread.</summary>
    public Func<Func<Task>, Task> Start { get; init; } = static work => Task.Run(work);

    /// <summary>Creates the scopes of events; null outside of an app's host.</summary>
    public IServiceScopeFactory? Scopes { get; init; }

    /// <summary>How many events are taken at a time.</summary>
    public ReactionSizes Sizes { get; init; } = new();

    /// <summary>Logs what a reaction cannot do for now.</summary>
    public void LogTrouble(string reaction, Exception e)
    {
        if (MustLog(reaction, e))
            ReactionLog.Troubled(Logger, reaction, e);
    }

    /// <summary>Logs, once a day, that a file of a reaction is not what it should be.</summary>
    public void LogFile(string reaction, string problem)
    {
        if (IsNew($"{reaction} {problem}"))
            ReactionLog.FileProblem(Logger, reaction, problem);
    }
}
