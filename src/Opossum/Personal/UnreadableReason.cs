namespace Opossum;

/// <summary>Why a personal member of an event cannot be read.</summary>
public enum UnreadableReason
{
    /// <summary>The person was forgotten; the key no longer exists.</summary>
    Forgotten,

    /// <summary>The store was opened without a master key.</summary>
    NoMasterKey,

    /// <summary>The person's key is not in the folder of keys, as after a restore of a backup without keys.</summary>
    NoKey,
}
