namespace Opossum.Cli;

/// <summary>Ends a command with an exit code and a message for the user: what is wrong, where, and what to do.</summary>
internal sealed class CliException(ExitCode exitCode, string message, Exception? innerException = null) : Exception(message, innerException)
{
    public ExitCode ExitCode => exitCode;
}
