using System.Text.Json.Nodes;

namespace Opossum.Serialization;

/// <summary>The person that a personal member is about, and what it reads as once that person is forgotten.</summary>
/// <param name="SubjectKey">The key of the subject's tag.</param>
/// <param name="SubjectMember">The member of the same JSON object that has the tag's value; null: the tag itself, or the state's key.</param>
/// <param name="Placeholder">What the property has once the person is forgotten; null: null.</param>
internal sealed record PersonalRule(string SubjectKey, string? SubjectMember, JsonNode? Placeholder)
{
    /// <summary>The key or, with a member, the key, a colon and the member.</summary>
    public string Text => SubjectMember is null ? SubjectKey : $"{SubjectKey}:{SubjectMember}";

    /// <summary>The rule of a text, without a placeholder. The key of a tag has no colon.</summary>
    public static PersonalRule Parse(string text) => text.Split(':', 2) is [var key, var member]
        ? new PersonalRule(key, member, Placeholder: null)
        : new PersonalRule(text, SubjectMember: null, Placeholder: null);
}
