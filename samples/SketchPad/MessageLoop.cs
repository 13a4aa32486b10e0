using System.Collections.Concurrent;

namespace SketchPad;

/// <summary>
/// The message loop of a window, as the dispatcher of WPF is one: one thread handles one message after another. It is the thread's
/// synchronization context, so what comes after an <c>await</c> is a message, too, and runs on this thread again.
/// </summary>
/// <remarks>
/// A thread that waits for the store, as with <c>Wait()</c> or <c>Result</c>, handles no message: the window is frozen. Always await.
/// </remarks>
public sealed class MessageLoop : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Handle, object? State)> messages = [];
    private readonly int thread = Environment.CurrentManagedThreadId;

    private MessageLoop()
    {
    }

    /// <summary>How many messages were handled.</summary>
    public int Handled { get; private set; }

    /// <summary>Handles messages on this thread until the window's task has ended.</summary>
    /// <param name="window">What the window does; it begins on this thread.</param>
    public static void Run(Func<MessageLoop, Task> window)
    {
        ArgumentNullException.ThrowIfNull(window);
        var before = Current;
        var loop = new MessageLoop();
        SetSynchronizationContext(loop);
        try
        {
            var ending = window(loop);
            ending.ContinueWith(_ => loop.messages.CompleteAdding(), TaskScheduler.Default);
            foreach (var (handle, state) in loop.messages.GetConsumingEnumerable())
            {
                handle(state);
                loop.Handled++;
            }
            ending.GetAwaiter().GetResult();
        }
        finally
        {
            SetSynchronizationContext(before);
        }
    }

    public override void Post(SendOrPostCallback d, object? state)
    {
        try
        {
            messages.Add((d, state));
        }
        catch (InvalidOperationException)
        {
            // The window is closed.
        }
    }

    public override void Send(SendOrPostCallback d, object? state) =>
        throw new NotSupportedException("The sample posts only: a thread that sends waits for the window.");

    /// <summary>Fails on any thread but the loop's, as the controls of a window do.</summary>
    public void VerifyAccess()
    {
        if (Environment.CurrentManagedThreadId != thread)
            throw new InvalidOperationException("This belongs to the window, and another thread has called it.");
    }
}
