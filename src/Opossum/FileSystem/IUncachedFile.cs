namespace Opossum.FileSystem;

/// <summary>An open file that is read from the disk or the server itself, past this machine's caches.</summary>
internal interface IUncachedFile : IDisposable
{
    /// <summary>Reads into the whole buffer, or to the end of the file; returns how many bytes.</summary>
    int Read(Span<byte> buffer, long offset);
}
