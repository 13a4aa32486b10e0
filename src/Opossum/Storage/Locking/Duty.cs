namespace Opossum.Storage.Locking;

/// <summary>What one process does at a time; see <see cref="StoreDuty"/>.</summary>
internal enum Duty
{
    /// <summary>To write or flush event files without holding the store's lock.</summary>
    Files,

    /// <summary>To seal and unseal folders of event files.</summary>
    Sealing,

    /// <summary>To make runs of the index.</summary>
    Runs,

    /// <summary>To make and remove snapshots, in a folder of them.</summary>
    Snapshots,
}
