using Microsoft.Extensions.Logging;
using Opossum.Following;
using Opossum.Reactions;
using Opossum.Reactions.Files;
using Opossum.Reactions.Reading;
using Opossum.Reactions.Running;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Reactions;

/// <summary>
/// A process on the simulated disk that leads a reaction step by step; its handlers run on the caller's thread, so that every file operation has its
/// place. Each handler notes its begin where no crash reaches it, and appends an event.
/// </summary>
internal sealed class SteppedReaction
{
    public const string Root = "/store";

    private const int StepsMax = 1_000;

    // On shares the work is done by other threads.
    private static readonly TimeSpan patience = TimeSpan.FromMinutes(1);

    private readonly Reaction reaction;
    private readonly ReactionHost host;
    private readonly List<Begin> begins;
    private ReactionTerm? term;

    /// <param name="client">The process's file system.</param>
    /// <param name="begins">What handlers have begun, in all processes.</param>
    /// <param name="whenHandling">Called in each handler, before its append.</param>
    /// <param name="retries">The number of retries of an event that fails.</param>
    /// <param name="start">Where it starts; null: at the beginning.</param>
    /// <param name="flush">Whether events are flushed before an append returns.</param>
    /// <param name="sizes">How many events it takes at a time; null: as always.</param>
    /// <param name="logs">Where it logs; null: nowhere.</param>
    /// <param name="retryDelay">The pause before a retry.</param>
    public SteppedReaction(SimulatedFileSystem client, List<Begin> begins, Action<ReactionContext>? whenHandling = null, int retries = 10,
        ReactionStart? start = null, bool flush = true, ReactionSizes? sizes = null, ILoggerFactory? logs = null,
        TimeSpan retryDelay = default)
    {
        Client = client;
        this.begins = begins;
        reaction = new RecordingReaction(start ?? ReactionStart.Beginning, async (context, cancellationToken) =>
        {
            begins.Add(new Begin(context.Event.Position, context.Attempt));
            whenHandling?.Invoke(context);
            await context.AppendAsync(NewEvent.FromJson("sent", "{}", new Tag("for", $"{context.Event.Position}")),
                cancellationToken: cancellationToken);
        });
        _ = reaction.Query;
        var options = new OpossumOptions { TimeProvider = new TimerlessClock(client.Disk.Clock), FlushEventsImmediately = flush, LoggerFactory = logs };
        Store = FileSystemEventStore.Open(options, client, Root);
        var running = new ReactionOptions { MaxConcurrency = 1, WriteInterval = TimeSpan.Zero, RetryDelay = retryDelay, MaxRetryAttempts = retries };
        host = Store.ReactionHost(running) with
        {
            Sizes = sizes ?? new ReactionSizes(),
            Start = static work =>
            {
                Wait(work());
                return Task.CompletedTask;
            },
        };
        Layout = new ReactionLayout(host.Folder, reaction.Name);
    }

    public SimulatedFileSystem Client { get; }

    public FileSystemEventStore Store { get; }

    public ReactionLayout Layout { get; }

    public bool Leads => term is not null;

    public string? Halted => term?.Halted;

    public DateTime? NextDue => term!.NextDue;

    /// <summary>Takes the lead if nobody has it, and handles all that there is to handle.</summary>
    public void Run()
    {
        term ??= Wait(ReactionTerm.TryBeginAsync(host, reaction, Layout, CancellationToken.None));
        if (term is null || term.Halted is not null)
            return;
        for (var steps = 0; steps < StepsMax; steps++)
        {
            Wait(term.FollowAsync(CancellationToken.None));
            if (term is { IsCaughtUp: true, Open: 0, IsAnyDue: false })
                return;
        }
        Assert.Fail($"{StepsMax} steps do not suffice.");
    }

    /// <summary>Takes the lead if nobody has it, and makes one step.</summary>
    /// <returns>The time until the next one.</returns>
    public TimeSpan Step()
    {
        term ??= Wait(ReactionTerm.TryBeginAsync(host, reaction, Layout, CancellationToken.None))!;
        return Wait(term.FollowAsync(CancellationToken.None));
    }

    /// <summary>Does something on request in the term, and begins the next one if it ends with that.</summary>
    public void Ask(Func<ReactionTerm, Task<bool>> request)
    {
        Assert.True(Wait(request(term!)));
        if (term!.IsOver)
            Stop(keepsStore: true);
    }

    /// <summary>Sends a request, as any process may.</summary>
    public void Request(LeaderRequest request) => request.Write(host, Layout);

    /// <summary>Carries out the requests that there are, and begins the next term if this one ends with that.</summary>
    public void CarryOutRequests()
    {
        Wait(new ReactionRequests(host, reaction, Layout).CarryOutAsync(term!, static () => { }, CancellationToken.None));
        if (term!.IsOver)
            Stop(keepsStore: true);
        Run();
    }

    /// <summary>What other processes see of it.</summary>
    public ReactionStatus Stored => Wait(Elsewhere.GetStatusAsync(CancellationToken.None));

    public IReadOnlyList<long> Parked => Wait(Elsewhere.ReadParkedAsync(0, int.MaxValue, CancellationToken.None))
        .Select(static each => each.Position).ToList();

    private ReactionReader Elsewhere => new(host, reaction.Name, new FollowerSignals { IsElsewhere = true });

    /// <summary>The positions whose handling was completed, in the order of the events that their handlers have appended.</summary>
    public List<long> Sent() =>
        [.. Wait(Store.ReadAllAsync()).Where(static e => e.Type == "sent").Select(static e => long.Parse(e.Tags[0].Value, null))];

    public void Stop(bool keepsStore = false)
    {
        if (term is not null)
            Wait(term.DisposeAsync().AsTask());
        term = null;
        if (!keepsStore)
            Store.Dispose();
    }

    public void Append(params NewEvent[] events) => Wait(Store.AppendAsync(events));

    /// <summary>
    /// Every event was handled, at most one attempt believed to be the first, those of a key began in order, and each has appended once.
    /// </summary>
    public void CheckExact()
    {
        var events = Wait(Store.ReadAllAsync());
        var sources = events.FindAll(static e => e.Type != "sent");
        Assert.Equal(sources.Select(static e => e.Position), begins.Select(static each => each.Position).Distinct().Order());
        Assert.Equal(sources.Select(static e => e.Position),
            events.Where(static e => e.Type == "sent").Select(static e => long.Parse(e.Tags[0].Value, null)).Order());
        foreach (var of in begins.GroupBy(static each => each.Position))
            Assert.True(of.Count(static each => each.Attempt == 1) <= 1, $"{of.Key} was begun by {string.Join(", ", of)}");
        foreach (var key in sources.GroupBy(static e => e.Tags[0]))
        {
            var positions = key.Select(static e => e.Position).ToHashSet();
            Assert.Equal(positions.Order(), begins.Select(static each => each.Position).Where(positions.Contains).Distinct());
        }
    }

    private static void Wait(ValueTask task) => Wait(task.AsTask());

    private static void Wait(Task task) => task.WaitAsync(patience).GetAwaiter().GetResult();

    private static T Wait<T>(Task<T> task) => task.WaitAsync(patience).GetAwaiter().GetResult();

    private static T Wait<T>(ValueTask<T> task) => task.AsTask().WaitAsync(patience).GetAwaiter().GetResult();

    /// <summary>A handler has begun.</summary>
    public sealed record Begin(long Position, int Attempt);
}
