using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>
/// The requests to a leader as it carries them out. One that cannot be read, or whose file cannot be removed, is reported once and passed over.
/// </summary>
/// <param name="report">Receives a file, and what is wrong with it as the end of a sentence that starts with the file.</param>
/// <param name="logTrouble">Receives what delays requests, once.</param>
internal sealed class OpenRequests(FollowerHost host, LedFolder layout, Action<string, string> report, Action<Exception> logTrouble)
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly Trouble trouble = new(host);
    private bool isCleanedUp;

    /// <summary>Why a request is not carried out for now; null: none is known.</summary>
    public FollowerProblem? Problem { get; private set; }

    public List<LeaderRequest> Read()
    {
        if (Problem is null)
            trouble.End();
        Problem = null;
        var requests = new List<LeaderRequest>();
        try
        {
            if (!isCleanedUp)
                CleanUp();
            isCleanedUp = true;
            // Order matters: read after the files, the head would hide that a person in them was forgotten since.
            var head = host.KnownHead();
            foreach (var id in LeaderRequest.List(fileSystem, layout))
            {
                if (Read(id) is { } request)
                    requests.Add(request with { Head = head });
            }
        }
        catch (FileSystemException e)
        {
            Delay(e);
        }
        return requests;
    }

    /// <summary>Records durably that a request is done, and removes its file.</summary>
    /// <param name="id">The request.</param>
    /// <param name="throwIfLost">Throws unless this process still leads. Then the next leader carries the request out.</param>
    public void Close(Guid id, Action throwIfLost)
    {
        throwIfLost();
        var isRecorded = TryRecord(id);
        if (TryRemove(id, mustRemove: !isRecorded) && isRecorded)
            RemoveRecord(id);
    }

    /// <summary>Reports why a request is not carried out for now; it is tried again.</summary>
    public void Delay(Exception cause)
    {
        if (trouble.Note(cause))
            logTrouble(cause);
        Problem ??= trouble.Problem;
    }

    /// <summary>Reports a file, once a day.</summary>
    public void PassOver(string path, string problem)
    {
        if (host.IsNew($"{path} {problem}"))
            report(path, problem);
    }

    private LeaderRequest? Read(Guid id)
    {
        try
        {
            if (LeaderRequest.Read(fileSystem, layout, id) is { } request)
                return request;
            // A power cut has brought its name back.
            TryRemove(id, mustRemove: false);
        }
        catch (DamagedFileException e)
        {
            PassOver(e.Path, e.Problem);
        }
        catch (FileSystemException e)
        {
            Delay(e);
        }
        return null;
    }

    // A former leader ended in the middle, or could not remove the files.
    private void CleanUp()
    {
        foreach (var id in LeaderRequest.ListDone(fileSystem, layout))
        {
            if (TryRemove(id, mustRemove: false))
                RemoveRecord(id);
        }
    }

    private void RemoveRecord(Guid id)
    {
        try
        {
            fileSystem.Delete(layout.DoneFile(id));
        }
        catch (FileSystemException e)
        {
            PassOver(layout.DoneFile(id), $"records that a request is done, and cannot be removed: {e.Message} Remove the file");
        }
    }

    // False: the disk is full. Then it counts that the request's file is removed.
    private bool TryRecord(Guid id)
    {
        try
        {
            fileSystem.CreateNew(layout.DoneFile(id))?.Dispose();
            // Also where it was there: the process that created it may have ended before flushing it.
            return DurableFile.TryFlush(fileSystem, layout.DoneFile(id));
        }
        catch (FileSystemException)
        {
            return false;
        }
    }

    // True: no power cut brings the request back, so the record of it is no longer needed.
    private bool TryRemove(Guid id, bool mustRemove)
    {
        try
        {
            var isMarked = TryMarkRemoved(id);
            fileSystem.Delete(layout.RequestFile(id));
            fileSystem.FlushFolder(layout.Requests);
            return isMarked;
        }
        catch (FileSystemException e) when (!mustRemove)
        {
            PassOver(layout.RequestFile(id), $"is a request that is done, and cannot be removed: {e.Message} Remove the file");
            return false;
        }
    }

    // False: this user may not write the file. The record stays until the next leader begins.
    private bool TryMarkRemoved(Guid id)
    {
        try
        {
            DurableFile.MarkRemoved(fileSystem, layout.RequestFile(id));
            return true;
        }
        catch (FileSystemException e) when (e.Error is FileError.AccessDenied or FileError.DiskFull)
        {
            return false;
        }
    }
}
