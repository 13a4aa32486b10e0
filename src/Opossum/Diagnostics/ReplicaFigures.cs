namespace Opossum.Diagnostics;

/// <summary>How far behind a folder is that follows an open store.</summary>
/// <param name="Lag">How many events it lacks; null: that is not known yet.</param>
/// <param name="TimeLag">How long ago it had every event of the store, or when it began to follow.</param>
internal readonly record struct ReplicaFigures(string Path, long? Lag, TimeSpan TimeLag);
