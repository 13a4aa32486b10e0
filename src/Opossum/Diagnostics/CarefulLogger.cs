using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>A logger that never throws, whatever its providers do: the logged work is done, and a failing log must not undo it.</summary>
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
            // A failing log has nowhere to report its failure.
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
