namespace Opossum.Testing.Simulated;

/// <summary>The operations of the simulated disk. Those before <see cref="CreateFolder"/> change nothing.</summary>
internal enum OperationKind
{
    GetKind,
    List,
    Open,
    Read,
    Prefetch,
    ReadPastCache,
    GetLength,
    IsUnlinked,
    GetId,
    GetLock,
    Pause,
    Close,
    CreateFolder,
    CreateNew,
    OpenOrCreate,
    Write,
    SetLength,
    Delete,
    Move,
    Flush,
    FlushRange,
    FlushFolder,
    FlushWhole,
    Lock,
    Unlock,
}
