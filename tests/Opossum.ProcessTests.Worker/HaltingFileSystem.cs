using Opossum.FileSystem;

namespace Opossum.ProcessTests.Worker;

/// <summary>The real file system, which halts once, at one place of an append.</summary>
internal sealed class HaltingFileSystem(IFileSystem real, HaltPlace place) : IFileSystem
{
    private bool isArmed;
    private int created;

    public void Arm() => isArmed = true;

    public IFile? CreateNew(string path)
    {
        if (!isArmed)
            return real.CreateNew(path);
        var number = Interlocked.Increment(ref created);
        HaltIf((place, number) is (HaltPlace.BeforeSecondFile, 2) or (HaltPlace.BeforeThirdFile, 3));
        var file = real.CreateNew(path);
        HaltIf((place, number) is (HaltPlace.BeforeFirstWrite, 1));
        return file;
    }

    // A group's files are flushed by the one or by the other.
    public void FlushWhole(string folder)
    {
        real.FlushWhole(folder);
        HaltIf(place == HaltPlace.BehindFlush && created == 3);
    }

    public void ForEach(int count, Action<int> work)
    {
        real.ForEach(count, work);
        HaltIf(place == HaltPlace.BehindFlush && created == 3);
    }

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

    public IFile? Open(string path, FileOpening opening) => real.Open(path, opening);

    public IUncachedFile? OpenUncached(string path) => real.OpenUncached(path);

    public void Delete(string path) => real.Delete(path);

    public void Move(string from, string to) => real.Move(from, to);

    public void MoveFolder(string from, string to) => real.MoveFolder(from, to);

    public void DeleteFolder(string path) => real.DeleteFolder(path);

    public void FlushFolder(string folder) => real.FlushFolder(folder);

    public void Pause(TimeSpan time) => real.Pause(time);

    public void Dispose() => real.Dispose();

    private static void HaltIf(bool isThePlace)
    {
        if (!isThePlace)
            return;
        Lines.Say(HaltingWriter.Halted);
        if (Lines.Hear() is null)
            Environment.Exit(1);
    }
}
