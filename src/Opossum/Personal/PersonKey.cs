namespace Opossum;

/// <summary>What the folder of keys has for a person, without the key.</summary>
/// <param name="Subject">The person, as the store has the tag: a pseudonym is replaced.</param>
/// <param name="State">What is there.</param>
/// <param name="Forgotten">When the key was removed; null unless the state says so.</param>
/// <param name="KeysFolder">The folder of keys.</param>
/// <param name="StoreHasKeys">Whether the folder has the store's own key, so that personal data was encrypted with keys from there.</param>
public sealed record PersonKey(Tag Subject, PersonKeyState State, DateTimeOffset? Forgotten, string KeysFolder, bool StoreHasKeys)
{
    /// <summary>Why the keys in the folder cannot be the store's, and what to do; null when nothing is known against them.</summary>
    public string? KeysProblem { get; init; }
}
