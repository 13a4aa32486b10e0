using Opossum;

namespace SketchPad;

/// <summary>What the tools of a window do to one sketch. Another window, also of another process, may have the same sketch open.</summary>
public sealed class Pad(IEventStore store, string name)
{
    public Task AddAsync(string shape, int x, int y) => ChangeAsync(sketch =>
        sketch.Shapes.ContainsKey(shape) ? null : new ShapeAdded(name, shape, x, y));

    public Task MoveAsync(string shape, int x, int y) => ChangeAsync(sketch =>
        sketch.Shapes.ContainsKey(shape) ? new ShapeMoved(name, shape, x, y) : null);

    public Task RemoveAsync(string shape) => ChangeAsync(sketch =>
        sketch.Shapes.ContainsKey(shape) ? new ShapeRemoved(name, shape) : null);

    /// <summary>Undoes the last change that counts, whichever window made it; nothing, if there is none.</summary>
    public Task UndoAsync() => ChangeAsync(sketch =>
        sketch.Done.IsEmpty ? null : new ChangeUndone(name, sketch.Done.Peek().Id));

    /// <summary>Redoes the change that was undone last; nothing, if there was a new change since.</summary>
    public Task RedoAsync() => ChangeAsync(sketch =>
        sketch.Undone.IsEmpty ? null : new ChangeRedone(name, sketch.Undone.Peek().Id));

    // The condition refuses what was decided on a sketch that has changed since; then it is decided again. So two windows that undo at the same
    // moment undo two changes, and not one twice.
    private Task<DecisionResult<Sketch>> ChangeAsync(Func<Sketch, object?> decide) => store.ExecuteDecisionAsync(Sketch.Of(name),
        sketch => decide(sketch) is { } change ? [new NewEvent(change)] : []);
}
