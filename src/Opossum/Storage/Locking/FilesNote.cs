namespace Opossum.Storage.Locking;

/// <summary>
/// The note in the lock file that events after a position may have no durable event files. Without one, every event has its file, durably.
/// </summary>
/// <param name="UpTo">The position up to which every event has its file, durably.</param>
/// <param name="HasLines">
/// Whether the events after it are durable as lines of the log, and their files follow. If not, they have files, and neither these nor their lines
/// are known to be durable.
/// </param>
/// <param name="HasBegunFlush">
/// Whether a flush of those files was begun. If it is no longer under way it has failed: the system reports that once, and a second flush succeeds
/// although the first one lost bytes.
/// </param>
internal readonly record struct FilesNote(long UpTo, bool HasLines, bool HasBegunFlush = false)
{
    /// <summary>What a lock file says that is new, or was lost: nothing.</summary>
    public static FilesNote Unknown { get; } = new(-1, HasLines: false);

    /// <summary>What a user knows who may not read the lock file: nothing.</summary>
    public static FilesNote Denied { get; } = new(-2, HasLines: false);

    public bool IsUnknown => UpTo < 0;

    /// <summary>The last position known to be durable; null: all are.</summary>
    public static long? Durable(FilesNote? note) => note is { HasLines: false, IsUnknown: false } unflushed ? unflushed.UpTo : null;

    /// <summary>The last position up to which every event has its file, durably, at most the given one.</summary>
    public static long FilesUpTo(FilesNote? note, long last) => note is { IsUnknown: false } known ? Math.Min(known.UpTo, last) : last;
}
