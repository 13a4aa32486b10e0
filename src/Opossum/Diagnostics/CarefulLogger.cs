using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>A logger that never throws, whatever its providers do: what is logged has happened, and a log that cannot be written must not undo it.</summary>
internal sealed class CarefulLogger(ILogger inner) : ILogger
{
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        try
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
        catch (Exception)
        {
            // There is nobody left to tell.
        }
    }

    public bool IsEnabled(LogLevel logLevel)
    {
        try
        {
            return inner.IsEnabled(logLevel);
        }
        catch (Exception)
        {
            return false;
        }
    }

    /// <summary>None: the store opens no scopes.</summary>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;
}
