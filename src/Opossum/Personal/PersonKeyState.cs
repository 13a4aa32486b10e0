namespace Opossum.Maintenance;

/// <summary>What the folder of keys has for a person.</summary>
public enum PersonKeyState
{
    /// <summary>Nothing: no personal data was encrypted for the person.</summary>
    None,

    /// <summary>The person's key.</summary>
    Key,

    /// <summary>A file that is neither a key nor a mark.</summary>
    Damaged,

    /// <summary>
    /// Forgetting the person has begun and is not finished, or the store's own folder still has a key while the keys are elsewhere:
    /// <see cref="IPersonalData.ForgetAsync"/> finishes it.
    /// </summary>
    Forgetting,

    /// <summary>The mark that the person was forgotten.</summary>
    Forgotten,
}
