using System.Collections.Concurrent;
using Opossum.FileSystem;
using Opossum.ProcessTests.Worker;

namespace Opossum.Tests.FileSystem;

/// <summary>The real file system, which notes each flush: each is one call of the operating system.</summary>
internal sealed class FlushCountingFileSystem(IFileSystem real) : PassingFileSystem(real)
{
    private readonly ConcurrentQueue<string> flushed = new();

    /// <summary>What was flushed, in its order: paths of files and folders.</summary>
    public IReadOnlyCollection<string> Flushed => flushed;

    /// <summary>Called before each flush of a file.</summary>
    public Action? BeforeFlush { get; set; }

    public override IFile? CreateNew(string path) => Of(base.CreateNew(path), path);

    public override IFile? Open(string path, FileOpening opening) => Of(base.Open(path, opening), path);

    public override void FlushFolder(string folder)
    {
        flushed.Enqueue(folder);
        base.FlushFolder(folder);
    }

    public override void FlushWhole(string folder)
    {
        flushed.Enqueue(folder);
        base.FlushWhole(folder);
    }

    private CountingFile? Of(IFile? file, string path) => file is null ? null : new CountingFile(file, () => Note(path));

    private void Note(string path)
    {
        BeforeFlush?.Invoke();
        flushed.Enqueue(path);
    }

    private sealed class CountingFile(IFile real, Action note) : IFile
    {
        public int Read(Span<byte> buffer, long offset) => real.Read(buffer, offset);

        public void Write(ReadOnlySpan<byte> bytes, long offset) => real.Write(bytes, offset);

        public void WriteOrClose(ReadOnlySpan<byte> bytes) => real.WriteOrClose(bytes);

        public void Flush()
        {
            note();
            real.Flush();
        }

        public void FlushBytes()
        {
            note();
            real.FlushBytes();
        }

        public void BeginFlushRange() => real.BeginFlushRange();

        public void FlushRange()
        {
            note();
            real.FlushRange();
        }

        public void SetLength(long length) => real.SetLength(length);

        public long GetLength() => real.GetLength();

        public bool IsUnlinked() => real.IsUnlinked();

        public FileState GetState() => real.GetState();

        public FileId GetId() => real.GetId();

        public bool TryLock(long offset) => real.TryLock(offset);

        public bool LocksStayHere() => real.LocksStayHere();

        public void Unlock(long offset) => real.Unlock(offset);

        public bool IsLocked(long offset) => real.IsLocked(offset);

        public bool IsLockedForReading(long offset) => real.IsLockedForReading(offset);

        public void Dispose() => real.Dispose();
    }
}
