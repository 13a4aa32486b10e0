using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Commit;
using Opossum.Storage.Folders;
using Opossum.Storage.Opening;
using Opossum.Storage.Reading;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// A store on a client of the simulated disk that commits on the caller's thread: so every file operation has its place, and a group is
/// what is passed.
/// </summary>
internal sealed class SteppedStore
{
    public const string Root = "/shop/store";

    private readonly OpenStore parts;
    private readonly Committer committer;
    private readonly EventSerializer serializer = new(new EventTypeRegistry(), int.MaxValue);
    private readonly StoreSettings settings;

    private SteppedStore(SimulatedFileSystem client, StoreSettings settings, ILogger logger)
    {
        Client = client;
        this.settings = settings;
        parts = new StoreOpening(client, LayoutOn(client.Disk), settings, logger).Open();
        committer = new Committer(parts, parts.Writing!, settings, logger);
    }

    /// <summary>The layout of the store on a disk.</summary>
    public static StoreLayout LayoutOn(SimulatedDisk disk) => disk.LayoutOf(Root);

    public SimulatedFileSystem Client { get; }

    /// <summary>Noted by those who keep an eye on it.</summary>
    public bool IsFaulted { get; set; }

    public long Head => parts.Index.Published.Contents.Head;

    public static SteppedStore Open(SimulatedFileSystem client, bool flush = true, TimeSpan? lockTimeout = null, TimeSpan? patience = null,
        ILogger? logger = null, RunSettings? runs = null, bool useJournal = false) =>
        new(client,
            new StoreSettings(true, flush, useJournal, lockTimeout ?? TimeSpan.FromSeconds(60), patience ?? TimeSpan.FromSeconds(5),
                client.Disk.Clock, null, (runs ?? new RunSettings()) with { InBackground = false })
            {
                // So that a few groups are more than is filled ahead.
                FilesBehind = new FilesBehindSettings { FilledAhead = 2_048, GroupBytesMax = 100_000 },
            },
            logger ?? NullLogger.Instance);

    /// <summary>Commits the appends as one group, and notes in each what its caller is told.</summary>
    public void Append(params Attempt[] attempts)
    {
        var group = new Group();
        var pending = attempts.Select(each => new PendingAppend(serializer.Prepare(each.Events), each.Condition)
        {
            KeptCondition = each.Condition is { } condition ? KeptCondition.Of(condition) : null,
        }).ToList();
        pending.ForEach(group.Add);
        committer.Commit(group, static _ => { });
        var answers = pending.ConvertAll(Answer);
        if (answers.Select(each => each.Error).OfType<Exception>().Select(Attempt.End).FirstOrDefault(end => end is not null) is { } end)
            throw end;
        for (var at = 0; at < attempts.Length; at++)
        {
            if (answers[at].Error is { } error)
                attempts[at].Fail(Assert.IsAssignableFrom<EventStoreException>(error), settings.Flush);
            else
                attempts[at].Succeed(answers[at].Result, settings.Flush);
        }
    }

    /// <summary>Makes the runs of the index that are due.</summary>
    public void MakeRuns()
    {
        parts.Writing!.RunBuilder.Run();
        // Whatever fails there is only logged. A process that has ended, and has no power, does nothing more.
        Client.GetKind(Root);
    }

    /// <summary>Writes the event files of events in the journal, as the background work does.</summary>
    public bool TryDrainJournal() => committer.Writeback.Run() == FilesProgress.AllThere;

    /// <summary>The same as closing a store does.</summary>
    public void EmptyJournal() => committer.Writeback.Settle();

    /// <summary>Makes durable what was appended without flushing.</summary>
    public void FlushBehind() => committer.Writeback.Settle();

    /// <summary>What disposing a store does with what is not flushed, or has no files yet.</summary>
    public void EndFiles() => committer.Writeback.End();

    /// <summary>Reads all events, and with them everything that a reader reads from the disk.</summary>
    public List<SequencedEvent> ReadAll()
    {
        var reader = new EventReader(parts.Folder, parts.Index, parts.EventFiles, new DecoderWithoutKeys(serializer));
        var view = reader.TakeView();
        var lines = new LinePlaces(view.Contents, parts.Folder.Layout);
        var places = Enumerable.Range(1, view.Contents.Head).Select(lines.Of).ToArray();
        var events = new SequencedEvent?[places.Length];
        reader.Read(view, places, places.Length, events);
        return [.. events.Select(e => e!)];
    }

    public void Close() => parts.Dispose();

    private static (AppendResult Result, Exception? Error) Answer(PendingAppend pending)
    {
        pending.Report();
        try
        {
            return (pending.Task.GetAwaiter().GetResult(), null);
        }
        catch (Exception e) when (e is not Xunit.Sdk.XunitException)
        {
            return (default, e);
        }
    }
}
