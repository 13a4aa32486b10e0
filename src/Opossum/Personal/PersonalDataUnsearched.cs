namespace Opossum;

/// <summary>A file or folder that could not be searched.</summary>
/// <param name="Path">The path.</param>
/// <param name="Reason">Why.</param>
public sealed record PersonalDataUnsearched(string Path, string Reason);
