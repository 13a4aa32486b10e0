using Opossum.FileSystem;

namespace Opossum.Storage.Commit;

/// <summary>The events are durable, but the frames that make them visible could not be written.</summary>
internal sealed class PublishFailedException(FileSystemException cause) : Exception(cause.Message, cause);
