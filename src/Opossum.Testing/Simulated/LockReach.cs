namespace Opossum.Testing.Simulated;

/// <summary>Which handles a lock excludes.</summary>
internal enum LockReach
{
    Everyone,

    /// <summary>Only other handles of the same client, as on a share mounted with nobrl: a test on one machine does not notice it.</summary>
    OwnClient,

    Nobody,
}
