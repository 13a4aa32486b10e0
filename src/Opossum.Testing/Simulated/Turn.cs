using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>One operation's time inside the disk's gate.</summary>
internal readonly ref struct Turn(SimulatedDisk disk, SimulatedOperation operation, Failure? failure, bool isSkipped)
{
    /// <summary>Whether the disk only reports the operation as done.</summary>
    public bool IsSkipped => isSkipped;

    public bool DropsDirtyBytes => failure?.DropsDirtyBytes ?? false;

    public int Arriving(int count) => failure is null ? count : (int)(count * failure.ArrivingShare);

    public void ThrowIfFailed()
    {
        if (failure is not null)
            throw failure.Error;
    }

    public FileSystemException Error(FileError error, string reason) => new(error, operation.Kind.ToString(), operation.Path, reason);

    public void Dispose() => disk.End(operation.Client);
}
