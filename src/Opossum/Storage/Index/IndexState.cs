namespace Opossum.Storage.Index;

/// <summary>What a look at the end of the index file found.</summary>
internal enum IndexState
{
    /// <summary>The file ends with the last frame.</summary>
    Current,

    /// <summary>Bytes follow that are no frame, or not yet: only the holder of the lock may judge.</summary>
    UnclearTail,

    /// <summary>Somebody removed the files.</summary>
    Gone,
}
