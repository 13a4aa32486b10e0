using System.Collections.Immutable;
using Opossum;

namespace SketchPad;

/// <summary>A sketch after some of its events: the changes that count, and those that were undone and can be redone, the last one on top.</summary>
public sealed record Sketch(ImmutableStack<Change> Done, ImmutableStack<Change> Undone)
{
    public static Sketch Empty { get; } = new([], []);

    /// <summary>The shapes and where they are, by name.</summary>
    public ImmutableSortedDictionary<string, (int X, int Y)> Shapes => Done.Reverse().Aggregate(
        ImmutableSortedDictionary.Create<string, (int X, int Y)>(StringComparer.Ordinal), static (shapes, change) =>
            change.Event switch
        {
            ShapeAdded added => shapes.SetItem(added.Shape, (added.X, added.Y)),
            ShapeMoved moved => shapes.SetItem(moved.Shape, (moved.X, moved.Y)),
            ShapeRemoved removed => shapes.Remove(removed.Shape),
            _ => shapes,
        });

    /// <summary>The events of a sketch, and what each does to it.</summary>
    public static DecisionProjection<Sketch> Of(string name) =>
        DecisionProjection.Create(Empty, new Tag("sketch", name))
        .On<ShapeAdded>(static (sketch, _, e) => sketch.After(e))
        .On<ShapeMoved>(static (sketch, _, e) => sketch.After(e))
        .On<ShapeRemoved>(static (sketch, _, e) => sketch.After(e))
        .On<ChangeUndone>(static (sketch, _, e) => sketch.After(e))
        .On<ChangeRedone>(static (sketch, _, e) => sketch.After(e));

    /// <summary>The sketch after one more event. A new change ends what could be redone.</summary>
    public Sketch After(SequencedEvent e) => e.Data switch
    {
        ChangeUndone => new Sketch(Done.Pop(out var last), Undone.Push(last)),
        ChangeRedone => new Sketch(Done.Push(Undone.Peek()), Undone.Pop()),
        { } change => new Sketch(Done.Push(new Change(e.Id, change)), []),
        null => this,
    };
}

/// <summary>A change of a sketch that can be undone.</summary>
/// <param name="Id">The id of the event.</param>
/// <param name="Event">What was done.</param>
public sealed record Change(Guid Id, object Event);
