using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Leading;
using Opossum.Reactions.Files;

namespace Opossum.Reactions.Running;

/// <summary>The events that a reaction's handlers have scheduled. The leader appends each when its time has come.</summary>
/// <remarks>Handlers add to them on their threads; the rest is used by the term's.</remarks>
internal sealed class DueEvents(ReactionHost host, string reaction, ReactionLayout layout)
{
    /// <summary>More events cannot be scheduled by one reaction at a time.</summary>
    public const int FilesMax = 100_000;

    // A former leader's handler, or a person, may have added or removed files.
    private static readonly TimeSpan listInterval = TimeSpan.FromMinutes(1);

    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly Lock gate = new();
    private readonly SortedSet<(DateTime When, string Name)> known = [];
    private readonly HashSet<string> passedOver = new(StringComparer.Ordinal);
    private readonly Signal added = new();
    private long lastList;
    private bool isListed;
    private bool hasFolder;

    /// <summary>Pulsed when a handler has scheduled an event.</summary>
    public Signal Added => added;

    /// <summary>How many events are scheduled.</summary>
    public int Count
    {
        get
        {
            lock (gate)
                return known.Count;
        }
    }

    /// <summary>The time of the next event; null: none is scheduled.</summary>
    public DateTime? Next
    {
        get
        {
            lock (gate)
                return known.Count == 0 ? null : known.Min.When;
        }
    }

    /// <summary>Whether the time of an event has come.</summary>
    public bool IsAnyDue => Next <= host.Clock.GetUtcNow().UtcDateTime;

    /// <summary>Schedules an event durably.</summary>
    /// <exception cref="InvalidOperationException">Too many events are scheduled.</exception>
    /// <exception cref="StoreWriteException">The operating system refused the write; nothing is scheduled.</exception>
    public void Add(DueFile due)
    {
        try
        {
            lock (gate)
            {
                if (known.Count >= FilesMax)
                {
                    throw new InvalidOperationException($"The reaction {reaction} has scheduled {FilesMax:N0} events that are not due yet; it cannot "
                        + "schedule more at a time.");
                }
                if (!hasFolder)
                {
                    fileSystem.CreateOwnFolder(layout.Due);
                    fileSystem.FlushFolder(layout.Root);
                }
                hasFolder = true;
                due.Write(fileSystem, layout);
                known.Add((due.When, due.Name));
            }
        }
        catch (FileSystemException e)
        {
            throw new StoreWriteException(e.Path, $"The reaction {reaction} could not schedule an event. {e.Message}", e);
        }
        added.Pulse();
    }

    /// <summary>Learns what was scheduled before, and looks from time to time what others have added or removed.</summary>
    public void List()
    {
        if (isListed && host.Clock.GetElapsedTime(lastList) < listInterval)
            return;
        lock (gate)
        {
            known.Clear();
            if (fileSystem.GetKind(layout.Due) == EntryKind.Folder)
            {
                fileSystem.ThrowIfLink(layout.Due);
                foreach (var name in fileSystem.List(layout.Due))
                {
                    if (DueFile.TimeOf(name) is { } when && !passedOver.Contains(name))
                        known.Add((when, name));
                    else if (!name.EndsWith(LedFolder.StagingOf(""), StringComparison.Ordinal))
                        PassOver(name, "is not the file of a scheduled event");
                }
            }
        }
        (isListed, lastList) = (true, host.Clock.GetTimestamp());
    }

    /// <summary>Appends the events whose time has come, those of the earliest times first.</summary>
    public async ValueTask AppendAsync()
    {
        while (IsAnyDue)
        {
            (DateTime When, string Name) first;
            lock (gate)
                first = known.Min;
            if (Read(first.Name) is { } due)
            {
                await AppendAsync(due).ConfigureAwait(false);
                // Undone by a power cut, it is found again, and the append counts once.
                fileSystem.Delete(FilePath.Join(layout.Due, first.Name));
            }
            lock (gate)
                known.Remove(first);
        }
    }

    private async ValueTask AppendAsync(DueFile due)
    {
        var condition = due.Unless is { } unless ? new AppendCondition(unless, due.After) : null;
        try
        {
            await host.Appends.Prepared(due.Event, condition, due.Once).ConfigureAwait(false);
        }
        catch (AppendConditionFailedException e)
        {
            ReactionLog.NotDueAnyMore(host.Logger, reaction, due.Event.Type, e.Message);
        }
    }

    private DueFile? Read(string name)
    {
        try
        {
            return DueFile.Read(fileSystem, layout, name);
        }
        catch (DamagedFileException e)
        {
            PassOver(name, e.Problem);
            return null;
        }
    }

    private void PassOver(string name, string problem)
    {
        if (passedOver.Add(name))
            ReactionLog.FileProblem(host.Logger, reaction, $"{FilePath.Join(layout.Due, name)} {problem}.");
    }
}
