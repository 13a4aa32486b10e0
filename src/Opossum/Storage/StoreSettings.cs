namespace Opossum.Storage;

/// <summary>The options that the storage itself goes by.</summary>
/// <param name="Create">Whether what is no store yet becomes one.</param>
/// <param name="Flush">Whether an append returns only when it is on the disk.</param>
/// <param name="LockTimeout">How long the lock is waited for.</param>
/// <param name="RecoveryPatience">How long, on a network file system, an incomplete commit may take to complete.</param>
/// <param name="TimeProvider">The clock.</param>
/// <param name="RebuildProgress">Hears how far a rebuild has come.</param>
/// <param name="ReadOnly">Whether nothing is to be written.</param>
internal sealed record StoreSettings(bool Create, bool Flush, TimeSpan LockTimeout, TimeSpan RecoveryPatience, TimeProvider TimeProvider, IProgress<StoreProgress>? RebuildProgress, bool ReadOnly = false);
