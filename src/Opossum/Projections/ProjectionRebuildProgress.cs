namespace Opossum;

/// <summary>How far the states of a projection have been built.</summary>
/// <param name="Name">The projection's name.</param>
/// <param name="Position">The events up to this position have been applied.</param>
/// <param name="Head">The store's last position.</param>
public readonly record struct ProjectionRebuildProgress(string Name, long Position, long Head);
