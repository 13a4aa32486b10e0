using Opossum.Following;
using Opossum.Projections;
using Opossum.Projections.Reading;
using Opossum.Projections.States;
using Opossum.Projections.Updating;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>
/// A process on the simulated disk that leads a projection step by step on the caller's thread, so that every file operation has its place.
/// </summary>
internal sealed class SteppedProjection
{
    public const string Root = "/store";

    // On shares the work is done by other threads.
    private static readonly TimeSpan patience = TimeSpan.FromMinutes(1);

    private readonly Projection<Count> projection;
    private readonly ProjectionHost host;
    private ProjectionTerm<Count>? term;

    public SteppedProjection(SimulatedFileSystem client, int version = 1, int cachedStatesMax = 6, bool flush = true, bool readOnly = false,
        ProjectionSizes? sizes = null)
    {
        Client = client;
        projection = new Counts(version);
        _ = projection.Query;
        // Without timers, so that what is appended without flushing is never flushed behind a test's back.
        Store = FileSystemEventStore.Open(new OpossumOptions
        {
            TimeProvider = new TimerlessClock(client.Disk.Clock),
            FlushEventsImmediately = flush,
            ReadOnly = readOnly
        }, client, Root);
        host = Store.ProjectionHost(new ProjectionOptions { MaxCachedStates = cachedStatesMax, RetryDelay = TimeSpan.Zero }) with
        {
            Sizes = sizes ?? new ProjectionSizes(),
        };
        Layout = new ProjectionLayout(host.Folder, projection.Name);
        Reader = new ProjectionReader<Count>(host, projection, Layout, new FollowerSignals());
    }

    public SimulatedFileSystem Client { get; }

    public FileSystemEventStore Store { get; }

    public ProjectionLayout Layout { get; }

    public ProjectionReader<Count> Reader { get; }

    public bool Leads => term is not null;

    public ProjectionTerm<Count> Term => term!;

    /// <summary>Takes the lead if nobody has it, and does all that there is to do.</summary>
    public void Run() => Run(CancellationToken.None);

    /// <summary>The same; a cancellation ends the taking of the lead.</summary>
    public void Run(CancellationToken cancellationToken)
    {
        term ??= Wait(ProjectionTerm<Count>.TryBeginAsync(host, projection, Layout, cancellationToken));
        if (term is null)
            return;
        while (Step())
        {
        }
    }

    /// <summary>The same, by one that takes the lead anew when it has lost it.</summary>
    public void RunAgain()
    {
        try
        {
            Run();
        }
        catch (LeadershipLostException)
        {
            Wait(Term.DisposeAsync());
            term = null;
            Run();
        }
    }

    /// <summary>Ends the term as when the app is stopped.</summary>
    public void StopTerm()
    {
        Wait(Term.StopAsync());
        Wait(Term.DisposeAsync());
        term = null;
    }

    /// <summary>Asks for a rebuild, as any process may.</summary>
    public void RequestRebuild() => new LeaderRequest(Guid.NewGuid(), RequestKind.Rebuild).Write(host, Layout);

    public void Append(params NewEvent[] events) => Wait(Store.AppendAsync(events));

    public List<SequencedEvent> Events() => Wait(Store.ReadAllAsync());

    public Dictionary<string, ProjectionEntry<Count>> ReadAll() => WaitAll(Reader.ReadAllAsync()).ToDictionary(state => state.Key);

    /// <summary>The folder whose states are read.</summary>
    public Generation Live => Generations.Newest(Generations.List(Client, Layout), GenerationKind.Live)!;

    public Count? Get(string key) => Wait(Reader.GetAsync(key));

    public Dictionary<string, Count> Find(Tag tag) => WaitAll(Reader.FindAsync([tag])).ToDictionary(state => state.Key, state => state.State);

    public ProjectionStatus Status() => Wait(Reader.GetStatusAsync());

    /// <summary>Every state is what the events up to its position make it, and it and its index say no more and no less than they should.</summary>
    public void CheckExact()
    {
        var events = Events();
        var expected = Counts.Fold(events);
        Assert.Equal(events[^1].Position, Status().Position);
        CheckStates(events);
        Assert.Equal(expected.OrderBy(each => each.Key),
            ReadAll().Select(each => KeyValuePair.Create(each.Key, each.Value.State)).OrderBy(each => each.Key));
        foreach (var tag in expected.Values.SelectMany(Counts.TagsOfCount).Append(new Tag("parity", "odd")).Distinct())
        {
            var having = expected.Where(each => Counts.TagsOfCount(each.Value).Contains(tag));
            // Twice: the first time forgets what is past.
            Assert.Equal(having.OrderBy(each => each.Key), Find(tag).OrderBy(each => each.Key));
            Assert.Equal(having.OrderBy(each => each.Key), Find(tag).OrderBy(each => each.Key));
        }
    }

    /// <summary>Every state is what the events up to its position make it.</summary>
    public void CheckStates(List<SequencedEvent> events)
    {
        foreach (var (key, state) in ReadAll())
            Assert.Equal(Counts.Fold(events.Where(e => e.Position <= state.Position)).GetValueOrDefault(key), state.State);
    }

    /// <summary>Every state that is read is found by each of its tags.</summary>
    public void CheckFound()
    {
        var states = ReadAll();
        foreach (var tag in states.Values.SelectMany(static state => Counts.TagsOfCount(state.State)).Distinct())
        {
            Assert.Equal(states.Values.Where(state => Counts.TagsOfCount(state.State).Contains(tag)).Select(static state => state.Key).Order(),
                Find(tag).Keys.Order());
        }
    }

    /// <summary>Every event up to the position that the status names counts in what is read, and nothing else does.</summary>
    public void CheckStatus(List<SequencedEvent> events)
    {
        var position = Status().Position;
        if (position == 0)
            return;
        Assert.InRange(position, 1, events.Count == 0 ? 0 : events[^1].Position);
        CheckStates(events);
        var states = ReadAll();
        foreach (var (key, count) in Counts.Fold(events.Where(e => e.Position <= position)))
        {
            Assert.True(states.TryGetValue(key, out var state)
                ? state.Position > position || state.State == count
                : events.Any(e => e.Position > position && e.Type == "deleted"), $"{key} is {state}, at position {position}");
        }
    }

    private bool Step()
    {
        Term.HandleRequests();
        if (Term.Rebuild is { Fault: null } rebuild)
        {
            Wait(Term.BuildAsync(rebuild, CancellationToken.None));
            Wait(Term.TrySwapAsync(static () => { }, CancellationToken.None));
        }
        Wait(Term.FollowAsync(long.MaxValue, CancellationToken.None));
        return Term.CleanUp() || Term.Rebuild is { Fault: null }
            || Term.Live is { Fault: null, IsCaughtUp: false } or { Fault: null, HasUnwritten: true };
    }

    private static T Wait<T>(Task<T> task) => task.WaitAsync(patience).GetAwaiter().GetResult();

    private static void Wait(ValueTask task) => task.AsTask().WaitAsync(patience).GetAwaiter().GetResult();

    private static T Wait<T>(ValueTask<T> task) => task.AsTask().WaitAsync(patience).GetAwaiter().GetResult();

    private static List<T> WaitAll<T>(IAsyncEnumerable<T> source) => Wait(source.ToListAsync());
}
