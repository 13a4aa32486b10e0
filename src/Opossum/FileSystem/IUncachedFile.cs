namespace Opossum.FileSystem;

/// <summary>An open file that is read from the disk or the server, bypassing this machine's caches.</summary>
internal interface IUncachedFile : IDisposable
{
    /// <summary>Reads until the buffer is full or the file ends; returns the number of bytes.</summary>
    int Read(Span<byte> buffer, long offset);
}
