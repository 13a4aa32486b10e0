namespace Opossum.Testing.Simulated;

/// <summary>Whom a lock keeps out.</summary>
internal enum LockReach
{
    Everyone,

    /// <summary>Only other handles of the same client, as on a share mounted with nobrl: a test on one machine does not notice.</summary>
    OwnClient,

    Nobody,
}
