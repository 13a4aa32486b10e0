namespace Opossum.Analyzers.Generation;

/// <summary>An event class of the compilation, and how it is registered.</summary>
/// <param name="Problem">Why its JSON metadata cannot be generated; null: they can be.</param>
/// <param name="Shapes">The code of its metadata, and of that of all types in it.</param>
internal sealed record EventClass(string Name, string? Problem, EquatableArray<JsonShape> Shapes);
