using Opossum.Storage.Index;
using Opossum.Storage.Locking;

namespace Opossum.Storage.Opening;

/// <summary>What a store needs beside <see cref="OpenStore"/> to be written.</summary>
internal sealed record WritingParts(StoreFolder Folder, StoreLock StoreLock, EventIndex Index, Recovery Recovery);
