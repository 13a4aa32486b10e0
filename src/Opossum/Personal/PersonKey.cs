namespace Opossum.Maintenance;

/// <summary>What the folder of keys has for a person, without the key.</summary>
public sealed record PersonKey
{
    /// <summary>The person, as the store has the tag: a pseudonym is replaced.</summary>
    public required Tag Subject { get; init; }

    /// <summary>What is there.</summary>
    public required PersonKeyState State { get; init; }

    /// <summary>When the key was removed; null unless the state says so.</summary>
    public required DateTimeOffset? Forgotten { get; init; }

    /// <summary>The folder of keys.</summary>
    public required string KeysFolder { get; init; }

    /// <summary>
    /// Whether the folder has the store's own key, so that personal data was encrypted with keys from there.
    /// </summary>
    public required bool StoreHasKeys { get; init; }

    /// <summary>Why the keys in the folder cannot be the store's, and what to do; null when nothing is known against them.</summary>
    public string? KeysProblem { get; init; }
}
