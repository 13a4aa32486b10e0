using Opossum.FileSystem;

namespace Opossum.ProcessTests.Worker;

/// <summary>The real file system, which halts once, at one place of writing event files.</summary>
internal sealed class HaltingFileSystem(IFileSystem real, HaltPlace place) : PassingFileSystem(real)
{
    private readonly TaskCompletionSource goesOn = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool isArmed;
    private int created;

    /// <summary>Completes when it has halted and continues.</summary>
    public Task Continues => goesOn.Task;

    public void Arm() => isArmed = true;

    public override IFile? CreateNew(string path)
    {
        if (!isArmed)
            return base.CreateNew(path);
        var number = Interlocked.Increment(ref created);
        HaltIf((place, number) is (HaltPlace.BeforeSecondFile, 2) or (HaltPlace.BeforeThirdFile, 3));
        var file = base.CreateNew(path);
        HaltIf((place, number) is (HaltPlace.BeforeFirstWrite, 1));
        return file;
    }

    // A group's files are flushed by the one or by the other.
    public override void FlushWhole(string folder)
    {
        base.FlushWhole(folder);
        HaltIf(place == HaltPlace.BehindFlush && created == 3);
    }

    public override void ForEach(int count, Action<int> work)
    {
        base.ForEach(count, work);
        HaltIf(place == HaltPlace.BehindFlush && created == 3);
    }

    private void HaltIf(bool isThePlace)
    {
        if (!isThePlace)
            return;
        Lines.Say(HaltingWriter.Halted);
        if (Lines.Hear() is null)
            Environment.Exit(1);
        goesOn.SetResult();
    }
}
