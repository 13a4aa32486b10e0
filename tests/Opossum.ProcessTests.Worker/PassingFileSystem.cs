using Opossum.FileSystem;

namespace Opossum.ProcessTests.Worker;

/// <summary>The real file system, of which a test changes some calls.</summary>
internal abstract class PassingFileSystem(IFileSystem real) : IFileSystem
{
    public virtual IFile? CreateNew(string path) => real.CreateNew(path);

    public virtual IFile? Open(string path, FileOpening opening) => real.Open(path, opening);

    public virtual void Delete(string path) => real.Delete(path);

    public virtual void Move(string from, string to) => real.Move(from, to);

    public virtual void FlushFolder(string folder) => real.FlushFolder(folder);

    public virtual void FlushWhole(string folder) => real.FlushWhole(folder);

    public virtual void ForEach(int count, Action<int> work) => real.ForEach(count, work);

    // What others write must not decide how a group is flushed.
    public long GetDirtyBytes() => 0;

    public IDisposable? Watch(string path, Action written) => real.Watch(path, written);

    public Volume GetVolume(string folder, bool forReading) => real.GetVolume(folder, forReading);

    public EntryKind GetKind(string path) => real.GetKind(path);

    public bool IsLink(string path) => real.IsLink(path);

    public FileId? FindId(string path) => real.FindId(path);

    public void DenyReadingWithoutWriting(string path) => real.DenyReadingWithoutWriting(path);

    public void CreateFolder(string path) => real.CreateFolder(path);

    public void SpreadSubfolders(string folder) => real.SpreadSubfolders(folder);

    public List<string> List(string folder) => real.List(folder);

    public IUncachedFile? OpenUncached(string path) => real.OpenUncached(path);

    public void MoveFolder(string from, string to) => real.MoveFolder(from, to);

    public void DeleteFolder(string path) => real.DeleteFolder(path);

    public void Pause(TimeSpan time) => real.Pause(time);

    public void Dispose() => real.Dispose();
}
