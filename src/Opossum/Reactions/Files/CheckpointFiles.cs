using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Reactions.Files;

/// <summary>The two files into which a leader writes its checkpoints in turn. A former leader's open files are others.</summary>
internal sealed class CheckpointFiles : IDisposable
{
    private const int Files = 2;

    private readonly IFile?[] files = new IFile?[Files];
    private readonly int[] lengths = new int[Files];
    private long turn;

    private CheckpointFiles()
    {
    }

    /// <summary>Creates the files of a term durably, and deletes those of former terms.</summary>
    public static CheckpointFiles Create(IFileSystem fileSystem, string folder, long term, ReactionCheckpoint checkpoint)
    {
        var created = new CheckpointFiles();
        try
        {
            // Order matters: the former files go last, once both of these are durable, or a crash could leave none.
            for (var at = 0; at < Files; at++)
                created.Add(fileSystem, folder, term, checkpoint with { Turn = checkpoint.Turn + 1 + at });
            foreach (var name in fileSystem.List(folder))
            {
                if (ReactionLayout.TermOf(name) is { } former && former != term)
                    fileSystem.Delete(FilePath.Join(folder, name));
            }
            return created;
        }
        catch
        {
            created.Dispose();
            throw;
        }
    }

    /// <summary>The newest checkpoint in a folder; null when there is none that is valid.</summary>
    /// <param name="problem">What is wrong; null when nothing is.</param>
    public static ReactionCheckpoint? Read(IFileSystem fileSystem, string folder, out string? problem)
    {
        for (var newest = NewestTerm(fileSystem, folder); ;)
        {
            var found = Read(fileSystem, folder, newest, out problem);
            // A new leader creates its files before it deletes those that were listed.
            var now = found is null ? NewestTerm(fileSystem, folder) : newest;
            if (now == newest)
                return found;
            newest = now;
        }
    }

    /// <summary>Writes a checkpoint over the older one and makes it durable; its turn is given here.</summary>
    public void Write(ReactionCheckpoint checkpoint) => turn = Overwrite(checkpoint, flush: true);

    /// <summary>
    /// The same without making it durable: readers see it, and a power cut may undo it. The file that was written last stays whole: the next write
    /// meets the same file again.
    /// </summary>
    public void Show(ReactionCheckpoint checkpoint) => Overwrite(checkpoint, flush: false);

    public void Dispose()
    {
        foreach (var file in files)
            file?.Dispose();
    }

    private static long NewestTerm(IFileSystem fileSystem, string folder) => fileSystem.List(folder).Max(ReactionLayout.TermOf) ?? -1;

    private static ReactionCheckpoint? Read(IFileSystem fileSystem, string folder, long newest, out string? problem)
    {
        problem = null;
        var found = (ReactionCheckpoint?)null;
        for (var at = 0; newest >= 0 && at < Files; at++)
        {
            var path = ReactionLayout.CheckpointFile(folder, newest, at);
            var read = ReactionCheckpoint.TryRead(fileSystem, path, out var wrong);
            problem ??= wrong is null ? null : $"{path} {wrong}";
            if (read is not null && read.Turn > (found?.Turn ?? -1))
                found = read;
        }
        // One of them may be torn by a crash.
        problem = found is not null ? null : problem ?? (CopyMark.IsIn(fileSystem, folder)
            ? $"{folder} is one of a backup, which does not know which events were handled"
            : $"{folder} contains no checkpoint");
        return found;
    }

    private long Overwrite(ReactionCheckpoint checkpoint, bool flush)
    {
        // A write that fails keeps the number, so that the next one meets the same file and the other stays whole.
        var next = turn + 1;
        var at = next % Files;
        (checkpoint with { Turn = next }).Overwrite(files[at]!, ref lengths[at], flush);
        return next;
    }

    private void Add(IFileSystem fileSystem, string folder, long term, ReactionCheckpoint checkpoint)
    {
        var path = ReactionLayout.CheckpointFile(folder, term, checkpoint.Turn);
        checkpoint.Create(fileSystem, path);
        var file = fileSystem.Open(path, FileOpening.ReadWrite) ?? throw PatientLook.Gone(path);
        files[checkpoint.Turn % Files] = file;
        lengths[checkpoint.Turn % Files] = checked((int)file.GetLength());
        turn = checkpoint.Turn;
    }
}
