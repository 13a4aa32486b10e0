using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Opossum.Tests.Durability;

/// <summary>Keeps all that is logged by whoever logs with it: ids, texts with their exceptions, and values.</summary>
internal sealed class Logs : ILoggerFactory, ILogger
{
    private readonly ConcurrentDictionary<int, TaskCompletionSource> seen = new();

    public ConcurrentQueue<(int Id, string Text)> Lines { get; } = new();

    /// <summary>Done when there is a line of the id.</summary>
    public Task SeenAsync(int id) => SeenOf(id).Task;

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
        SeenOf(eventId.Id).TrySetResult();
    }

    public void Dispose()
    {
    }

    private TaskCompletionSource SeenOf(int id) =>
        seen.GetOrAdd(id, static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
}
