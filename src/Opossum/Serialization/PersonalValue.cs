namespace Opossum.Serialization;

/// <summary>A personal value in compact JSON: where it is, which person it is about and by which rule.</summary>
/// <param name="Start">The place of its first byte.</param>
/// <param name="Length">The number of its bytes.</param>
/// <param name="SubjectValue">The value of the member that names the person; null when the rule names none, or the member is missing.</param>
internal sealed record PersonalValue(int Start, int Length, string Path, PersonalRule Rule, string? SubjectValue);
