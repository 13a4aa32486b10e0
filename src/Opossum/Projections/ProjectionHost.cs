using Opossum.Diagnostics;
using Opossum.Following;

namespace Opossum.Projections;

/// <summary>The shared environment of a runner's projections. A process that cannot write only reads the states.</summary>
internal sealed record ProjectionHost : FollowerHost
{
    public ProjectionHost(FollowerHost host, ProjectionOptions options, IStateSealer sealer, IProjectionWorkers workers)
        : base(host)
    {
        (Options, Sealer, Workers) = (options, sealer, workers);
        (TakeOverInterval, PollInterval) = (options.TakeOverInterval, options.PollInterval);
    }

    /// <summary>The options; they no longer change.</summary>
    public ProjectionOptions Options { get; }

    /// <summary>Encrypts the personal values of states.</summary>
    public IStateSealer Sealer { get; }

    public IProjectionWorkers Workers { get; }

    public StatePageSizes Pages { get; init; } = new();

    /// <summary>How much is read at a time, and the lengths of the tag log.</summary>
    public ProjectionSizes Sizes { get; init; } = new();

    /// <summary>Logs what a projection cannot do for now.</summary>
    public void LogTrouble(string projection, Exception e)
    {
        if (MustLog(projection, e))
            ProjectionLog.Troubled(Logger, projection, e);
    }

    /// <summary>Logs, once a day, that a file of a projection is damaged.</summary>
    public void LogFile(string projection, DamagedFileException e)
    {
        if (IsNew(e.Message))
            ProjectionLog.Damaged(Logger, projection, e.Path, e.Problem);
    }

    /// <summary>Reads files of a projection; null, and logged, when one of them is damaged.</summary>
    public T? ReadOrLog<T>(string projection, Func<T?> read)
        where T : class
    {
        try
        {
            return read();
        }
        catch (DamagedFileException e)
        {
            ProjectionLog.Damaged(Logger, projection, e.Path, e.Problem);
            return null;
        }
    }
}
