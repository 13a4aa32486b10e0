using Opossum.FileSystem;

namespace Opossum.ProcessTests.Worker;

/// <summary>The real file system, which halts for good before one of its changes, by their number.</summary>
internal sealed class SteppedFileSystem(IFileSystem real) : PassingFileSystem(real)
{
    private int left = int.MaxValue;

    /// <summary>Halts after a number of further changes.</summary>
    public void HaltAfter(int changes) => Volatile.Write(ref left, changes);

    public override IFile? CreateNew(string path)
    {
        Count();
        return base.CreateNew(path);
    }

    public override IFile? Open(string path, FileOpening opening)
    {
        if (opening != FileOpening.Read)
            Count();
        return base.Open(path, opening);
    }

    public override void Delete(string path)
    {
        Count();
        base.Delete(path);
    }

    public override void Move(string from, string to)
    {
        Count();
        base.Move(from, to);
    }

    public override void FlushFolder(string folder)
    {
        Count();
        base.FlushFolder(folder);
    }

    public override void FlushWhole(string folder)
    {
        Count();
        base.FlushWhole(folder);
    }

    public override void ForEach(int count, Action<int> work)
    {
        Count();
        base.ForEach(count, work);
    }

    private void Count()
    {
        if (Interlocked.Decrement(ref left) >= 0)
            return;
        Lines.Say(HaltingWriter.Halted);
        Thread.Sleep(Timeout.Infinite);
    }
}
