namespace Opossum.Storage.Index;

/// <summary>The state of the end of the index file.</summary>
internal enum IndexState
{
    /// <summary>The file ends with the last frame.</summary>
    Current,

    /// <summary>Bytes follow the last frame that are not a frame, or not a complete one yet: only the holder of the lock can decide.</summary>
    UnclearTail,

    /// <summary>The files were removed.</summary>
    Gone,

    /// <summary>Other files have the names, and were not read.</summary>
    Replaced,
}
