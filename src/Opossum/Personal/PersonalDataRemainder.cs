namespace Opossum;

/// <summary>A file that still has personal data of a forgotten person in plain, or may have it.</summary>
/// <param name="Path">The file or folder.</param>
/// <param name="Problem">Why it was not removed, and what to do.</param>
public sealed record PersonalDataRemainder(string Path, string Problem);
