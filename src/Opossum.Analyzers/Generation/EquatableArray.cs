using System.Collections.Immutable;

namespace Opossum.Analyzers.Generation;

/// <summary>An array that is equal to one with equal elements: so a generator knows that nothing has changed.</summary>
internal readonly struct EquatableArray<T>(ImmutableArray<T> elements) : IEquatable<EquatableArray<T>>
    where T : IEquatable<T>
{
    public ImmutableArray<T> Elements { get; } = elements;

    public bool Equals(EquatableArray<T> other) => Elements.SequenceEqual(other.Elements);

    public override bool Equals(object? obj) => obj is EquatableArray<T> other && Equals(other);

    public override int GetHashCode() => Elements.Aggregate(Elements.Length, static (hash, each) => (hash * 31) + each.GetHashCode());
}
