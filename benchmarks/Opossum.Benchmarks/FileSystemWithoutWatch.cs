using Opossum.FileSystem;

namespace Opossum.Benchmarks;

/// <summary>The real file system without write notifications, like a network one: only polling is left.</summary>
internal sealed class FileSystemWithoutWatch(IFileSystem real) : IFileSystem
{
    public IDisposable? Watch(string path, Action written) => null;

    public Volume GetVolume(string folder, bool forReading) => real.GetVolume(folder, forReading);

    public bool IsLink(string path) => real.IsLink(path);

    public EntryKind GetKind(string path) => real.GetKind(path);

    public FileId? FindId(string path) => real.FindId(path);

    public void DenyReadingWithoutWriting(string path) => real.DenyReadingWithoutWriting(path);

    public void CreateFolder(string path) => real.CreateFolder(path);

    public void SpreadSubfolders(string folder) => real.SpreadSubfolders(folder);

    public List<string> List(string folder) => real.List(folder);

    public IFile? CreateNew(string path) => real.CreateNew(path);

    public IFile? Open(string path, FileOpening opening) => real.Open(path, opening);

    public IUncachedFile? OpenUncached(string path) => real.OpenUncached(path);

    public void Delete(string path) => real.Delete(path);

    public void Move(string from, string to) => real.Move(from, to);

    public void MoveFolder(string from, string to) => real.MoveFolder(from, to);

    public void DeleteFolder(string path) => real.DeleteFolder(path);

    public void FlushFolder(string folder) => real.FlushFolder(folder);

    public void FlushWhole(string folder) => real.FlushWhole(folder);

    public long GetDirtyBytes() => real.GetDirtyBytes();

    public void ForEach(int count, Action<int> work) => real.ForEach(count, work);

    public void Pause(TimeSpan time) => real.Pause(time);

    public void Dispose() => real.Dispose();
}
