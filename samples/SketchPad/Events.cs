using Opossum;

namespace SketchPad;

// What somebody did to a sketch. Undo and redo are events, too: nothing is taken back from the store, and the history says who undid what.

[EventType("shape-added")]
public sealed record ShapeAdded([property: Tag("sketch")] string Sketch, string Shape, int X, int Y);

[EventType("shape-moved")]
public sealed record ShapeMoved([property: Tag("sketch")] string Sketch, string Shape, int X, int Y);

[EventType("shape-removed")]
public sealed record ShapeRemoved([property: Tag("sketch")] string Sketch, string Shape);

/// <param name="Sketch">The sketch.</param>
/// <param name="Change">The id of the event whose change no longer counts.</param>
[EventType("change-undone")]
public sealed record ChangeUndone([property: Tag("sketch")] string Sketch, Guid Change);

/// <param name="Sketch">The sketch.</param>
/// <param name="Change">The id of the event whose change counts again.</param>
[EventType("change-redone")]
public sealed record ChangeRedone([property: Tag("sketch")] string Sketch, Guid Change);
