namespace Opossum.Cli;

/// <summary>The exit codes of every command. Scripts depend on them: a code never changes its meaning.</summary>
internal enum ExitCode
{
    /// <summary>The command did what it was asked to do.</summary>
    Ok = 0,

    /// <summary>
    /// The answer is negative: faults or differences were found, there is no such event, something is not proven, or an append condition failed.
    /// </summary>
    Negative = 1,

    /// <summary>The command line is wrong, or a change was not confirmed. Nothing was done.</summary>
    Usage = 2,

    /// <summary>There is no store at the path, or it cannot be opened. Nothing was changed.</summary>
    NoStore = 3,

    /// <summary>The work failed: a disk, a share, a damaged store.</summary>
    Failed = 4,

    /// <summary>Ctrl-C or a signal ended the command.</summary>
    Cancelled = 130,
}
