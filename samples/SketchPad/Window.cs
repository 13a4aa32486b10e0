using System.Collections.Immutable;
using Opossum;

namespace SketchPad;

/// <summary>What a window shows of a sketch. It belongs to the thread of its loop, as controls do.</summary>
/// <param name="loop">The loop.</param>
/// <param name="name">The name of the sketch.</param>
public sealed class Window(MessageLoop loop, string name)
{
    // Completed with the next position that is shown.
    private TaskCompletionSource shown = new();

    public ImmutableSortedDictionary<string, (int X, int Y)> Shapes
    {
        get
        {
            loop.VerifyAccess();
            return field;
        }

        private set
        {
            loop.VerifyAccess();
            field = value;
        }
    } = ImmutableSortedDictionary<string, (int X, int Y)>.Empty;

    /// <summary>The last position that is shown.</summary>
    public long Position { get; private set; }

    /// <summary>
    /// Shows every change of the sketch, whichever window made it, until it is cancelled. Between two changes the loop handles messages.
    /// </summary>
    public async Task ShowAsync(IEventStore store, CancellationToken cancellationToken)
    {
        var sketch = Sketch.Empty;
        try
        {
            // Without ConfigureAwait(false): each change is shown on the window's thread.
            await foreach (var e in store.SubscribeAsync(Sketch.Of(name).Query, cancellationToken: cancellationToken))
            {
                sketch = sketch.After(e);
                (Shapes, Position) = (sketch.Shapes, e.Position);
                // Order matters: who waits may look again before this returns.
                var before = shown;
                shown = new TaskCompletionSource();
                before.SetResult();
            }
        }
        catch (Exception e)
        {
            // Or who waits for a position would wait without end.
            shown.SetException(e);
            throw;
        }
    }

    /// <summary>Waits until the window shows a position, or has failed.</summary>
    public async Task WaitForAsync(long position)
    {
        while (Position < position)
            await shown.Task;
    }

    public override string ToString() => Shapes.IsEmpty ? "(empty)"
        : string.Join(", ", Shapes.Select(static shape => $"{shape.Key} at {shape.Value.X},{shape.Value.Y}"));
}
