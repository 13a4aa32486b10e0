using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>The runs in the folder of the index: finds those that fit the index file, and makes damaged ones again.</summary>
/// <param name="settings">How runs are made and read.</param>
/// <param name="indexFile">The index file that is in use; null: it is closed.</param>
/// <param name="isInUse">Whether a run belongs to that file, and no longer one has its place.</param>
internal sealed class RunFolder(StoreFolder folder, RunSettings settings, Func<IFile?> indexFile, Func<IndexRun, bool> isInUse, bool canWrite,
    ILogger logger) : IDisposable
{
    private readonly IFileSystem fileSystem = folder.FileSystem;
    private readonly StoreLayout layout = folder.Layout;
    private readonly PageCache cache = new(settings.CacheBytes, folder.SlowReads);
    private readonly OpenedFiles<IndexRun> opened = new();

    public RunSettings Settings => settings;

    public NameHash Hash { get; } = new(folder.Id ?? Guid.Empty);

    /// <summary>Opens the longest runs that fit the index file and follow each other from position 1 on.</summary>
    public List<IndexRun> Load(IFile index, byte[] start, IReadOnlyList<IndexRun> known)
    {
        var runs = new List<IndexRun>();
        var candidates = new Dictionary<int, List<int>>();
        foreach (var (basis, last) in List())
        {
            if (!candidates.TryGetValue(basis, out var lasts))
                candidates.Add(basis, lasts = []);
            lasts.Add(last);
        }
        while (candidates.TryGetValue(runs.Count == 0 ? 0 : runs[^1].Last, out var lasts))
        {
            lasts.Sort();
            var next = null as IndexRun;
            for (var at = lasts.Count - 1; at >= 0 && next is null; at--)
                next = TryOpen(runs.Count == 0 ? null : runs[^1].Header, lasts[at], start, known);
            if (next is null)
                break;
            runs.Add(next);
        }
        // The index file may have been replaced or cut since: the last frame that the runs cover must be in it.
        while (runs.Count > 0 && !HasLastFrame(index, runs[^1].Header))
            runs.RemoveAt(runs.Count - 1);
        return runs;
    }

    /// <summary>The ranges of the runs in the folder: the position before the first one, and the last one.</summary>
    public List<(int Basis, int Last)> List()
    {
        var found = new List<(int Basis, int Last)>();
        foreach (var name in fileSystem.List(layout.Index))
        {
            if (StoreLayout.TryParseRunName(name, out var first, out var last))
                found.Add(((int)first - 1, (int)last));
        }
        return found;
    }

    /// <summary>Opens a run that was just written; null when it does not hold what was written.</summary>
    public IndexRun? Open(RunHeader header) => TryOpen(header.Basis, header.Last, read => read == header);

    /// <summary>Deletes a run's file, which stays open where it is in use. If it cannot be deleted, a later step tries again.</summary>
    public void TryDelete(int basis, int last) => TryDelete(layout.RunFile(basis + 1, last));

    public void Dispose() => opened.Dispose();

    /// <summary>
    /// Writes a run, for who has the duty to make them, and gives it its name once it is durable; null when the file does not hold what was written,
    /// or the index file that it was made of has been replaced since.
    /// </summary>
    public IndexRun? Write(IFile index, Func<RunOutput, RunHeader> write) => WriteFile(index, write) is { } header ? Open(header) : null;

    /// <summary>Deletes what a process that ended wrote of a run, for the one that has the duty to make them.</summary>
    public void DeleteLeftovers()
    {
        foreach (var path in ListLeftovers())
            TryDelete(path);
    }

    /// <summary>Deletes, durably, all runs except these, and what was written of one. One that is being written is made again.</summary>
    /// <exception cref="FileSystemException">One could not be deleted.</exception>
    public void DeleteAllExcept(IReadOnlyList<IndexRun> used)
    {
        // Order matters: listed before, a run that gets its name meanwhile would stay, with text that is redacted.
        foreach (var path in ListLeftovers())
            fileSystem.Delete(path);
        foreach (var (basis, last) in List())
        {
            if (!used.Any(run => run.Basis == basis && run.Last == last))
                fileSystem.Delete(layout.RunFile(basis + 1, last));
        }
        fileSystem.FlushFolder(layout.Index);
    }

    private IEnumerable<string> ListLeftovers() =>
        fileSystem.List(layout.Index).Where(StoreLayout.IsRunFileStaging).Select(name => FilePath.Join(layout.Index, name));

    private void TryDelete(string path)
    {
        try
        {
            fileSystem.Delete(path);
        }
        catch (FileSystemException e)
        {
            StoreLog.RunNotDeleted(logger, path, e.Message, e);
        }
    }

    // Each under a name of its own: on some network file systems a name can lead, for a while, to the file that had it before, which
    // by then is somebody's run.
    private RunHeader? WriteFile(IFile index, Func<RunOutput, RunHeader> write)
    {
        var staging = layout.NewRunFileStaging();
        using var file = fileSystem.CreateNew(staging) ?? throw new FileSystemException(FileError.Other, "create", staging, "its name is taken");
        try
        {
            var header = write((page, offset) => file.Write(page, offset));
            file.Flush();
            var path = layout.RunFile(header.Basis + 1, header.Last);
            fileSystem.Move(staging, path);
            // Order matters: after it has its name, or a redaction that replaced the index would miss this run.
            if (!IsReplaced(index))
                return header;
            TryDelete(path);
            return null;
        }
        catch
        {
            TryDelete(staging);
            throw;
        }
    }

    // Where another machine has deleted it, its handle may be lost.
    private static bool IsReplaced(IFile index)
    {
        try
        {
            return index.IsUnlinked();
        }
        catch (FileSystemException e) when (e.Error == FileError.HandleLost)
        {
            return true;
        }
    }

    private IndexRun? TryOpen(RunHeader? before, int last, byte[] start, IReadOnlyList<IndexRun> known)
    {
        var basis = before?.Last ?? 0;
        foreach (var run in known)
        {
            if (run.Basis == basis && run.Last == last && Follows(run.Header, before, start))
                return run;
        }
        return TryOpen(basis, last, header => header.Basis == basis && header.Last == last && Follows(header, before, start));
    }

    private IndexRun? TryOpen(int basis, int last, Predicate<RunHeader> isWanted)
    {
        var path = layout.RunFile(basis + 1, last);
        return TryOpenFile(path, isWanted) is var (header, file)
            ? opened.Add(new IndexRun(header, new RunContent(path, file), cache, MakeAgain))
            : null;
    }

    // Null: there is none, it cannot be read, or something else has its name. The frames say the same, and a check names what is wrong.
    private (RunHeader Header, IFile File)? TryOpenFile(string path, Predicate<RunHeader> isWanted)
    {
        var file = null as IFile;
        try
        {
            file = fileSystem.Open(path, FileOpening.Read);
            // What is longer by its first page than the file is damaged, or was not written by this library.
            if (file is not null && ReadHeader(file) is { } header && isWanted(header)
                && header.PageCount * (long)RunPage.Length <= file.GetLength())
            {
                (var found, file) = (file, null);
                return (header, found);
            }
            return null;
        }
        catch (FileSystemException e) when (e.Error is not (FileError.HandleLost or FileError.NotAnswering or FileError.TooManyOpenFiles))
        {
            if (e.OtherKind is null)
                StoreLog.RunNotRead(logger, path, e.Message, e);
            return null;
        }
        finally
        {
            file?.Dispose();
        }
    }

    private static bool Follows(RunHeader header, RunHeader? before, byte[] start) => before is null
        ? header.FrameStart == start.Length && header.LineStart == 0 && header.ChainBefore == IndexHeader.FirstChain(start)
        : header.FrameStart == before.FrameEnd && header.LineStart == before.LineEnd && header.ChainBefore == before.Chain;

    private static bool HasLastFrame(IFile index, RunHeader header)
    {
        Span<byte> frame = stackalloc byte[IndexFrame.HeaderLength];
        Span<byte> end = stackalloc byte[1];
        return index.Read(frame, header.LastFrame) == frame.Length && index.Read(end, header.FrameEnd - 1) == end.Length
            && BitConverter.ToUInt32(frame) + header.LastFrame + IndexFrame.HeaderLength == header.FrameEnd
            && BitConverter.ToUInt32(frame[sizeof(uint)..]) == header.Chain;
    }

    private RunHeader? ReadHeader(IFile file)
    {
        var page = new byte[RunPage.Length];
        return folder.Id is { } id && file.Read(page, 0) == page.Length ? RunHeader.Read(page, id) : null;
    }

    // On the thread of a reader. What is made has the same bytes, so cursors in the run go on.
    private RunContent MakeAgain(IndexRun run, int page)
    {
        // A reader that has begun meets closed files, which are whole.
        var index = indexFile() ?? throw new ObjectDisposedException(nameof(IEventStore));
        var header = run.Header;
        var path = layout.RunFile(header.Basis + 1, header.Last);
        if (OpenAgain(path, header, page) is { } same)
            return same;
        StoreLog.RunDamaged(logger, path);
        var pages = new RunPages();
        if (RunRebuild.TryMake(index, header, pages.Write))
            return TryReplace(index, path, header, pages) ?? new RunContent(path, file: null, pages);
        if (!isInUse(run))
            throw new FileSystemException(FileError.Other, "read", path, "the index was replaced since this read began");
        // The next opening makes both of the event files.
        if (canWrite)
            TryDelete(path);
        throw new FileSystemException(FileError.Other, "read", path,
            $"it is damaged, and so is {layout.IndexFile}, of which it would be made again. Open the store again, which makes both of the event "
                + "files");
    }

    // The handle was lost with a connection or a mount, and the file is as it was.
    private RunContent? OpenAgain(string path, RunHeader header, int page)
    {
        if (TryOpenFile(path, read => read == header) is not var (_, file))
            return null;
        var there = new RunContent(path, file);
        if (IndexRun.TryRead(there, page, new byte[RunPage.Length], header.Seed))
            return there;
        there.Dispose();
        return null;
    }

    private RunContent? TryReplace(IFile index, string path, RunHeader header, RunPages pages)
    {
        if (!canWrite)
            return null;
        try
        {
            // Who has it may be this process, which makes a longer one.
            using var duty = StoreDuty.TryTake(folder, Duty.Runs);
            if (duty is null)
                return null;
            if (WriteFile(index, Copy) is null || fileSystem.Open(path, FileOpening.Read) is not { } file)
                return null;
            // On some network file systems the name can lead, for a while, to the file that had it before.
            if (pages.IsEqualTo(file))
                return new RunContent(path, file);
            file.Dispose();
            return null;
        }
        catch (FileSystemException e)
        {
            // The disk may be full. The pages stay in memory.
            StoreLog.RunNotWritten(logger, path, e.Message, e);
            return null;
        }

        RunHeader Copy(RunOutput output)
        {
            pages.CopyTo(output);
            return header;
        }
    }
}
