using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Opossum.Tests.Durability;

/// <summary>Keeps all that is logged by whoever logs with it: ids, texts with their exceptions, and values.</summary>
internal sealed class Logs : ILoggerFactory, ILogger
{
    public ConcurrentQueue<(int Id, string Text)> Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        var values = state is IEnumerable<KeyValuePair<string, object?>> pairs ? string.Join(' ', pairs) : $"{state}";
        Lines.Enqueue((eventId.Id, $"{formatter(state, exception)}\n{values}\n{exception}"));
    }

    public void Dispose()
    {
    }
}
