using Opossum.Testing.Given;
using Opossum.Testing.Simulated;

namespace Opossum.Testing.Reacting;

/// <summary>One run of a reaction's scenario: an app appends events, and a process handles them; when it crashes, another one continues.</summary>
/// <param name="last">Before which step the process crashes; null: it does not.</param>
/// <param name="cutsPower">Whether its crash is a power cut, which takes what was not flushed.</param>
internal sealed class ReactionRun(ReactionSetting setting, int? last = null, bool cutsPower = false)
{
    private static readonly Tag anyPseudonym = Tag.Pseudonym("any", "any");

    private readonly List<ReactionCall> calls = [];
    private readonly HashSet<long> appPositions = [];
    private SimulatedDisk disk = new(clock: setting.StoreClock);
    private FileSystemEventStore? app;
    private ReactionProcess? process;
    private CrashSteps? steps;
    private Func<ReactionProcess>? open;
    private TimeSpan time;
    private IReadOnlySet<long> outside = new HashSet<long>();

    /// <summary>The steps that were to end before one.</summary>
    public CrashSteps? Crash { get; private set; }

    public ReactionOutcome Outcome { get; private set; } = new() { Appended = [], Calls = [] };

    /// <summary>The events before the first one that happens.</summary>
    public IReadOnlyList<SequencedEvent> Given { get; private set; } = [];

    /// <summary>Whether the reaction has scheduled an event, for a later time.</summary>
    public bool HasScheduled => Process.HasScheduled;

    public ReactionProcess Process => process!;

    /// <summary>The store, for the comparisons and messages of a scenario.</summary>
    public ScenarioStore Store => new(app!, Given, outside);

    public async Task RunAsync()
    {
        try
        {
            await BeginAsync().ConfigureAwait(false);
            foreach (var (after, events) in setting.Whens)
            {
                Move(after);
                if (events.Length > 0)
                    await AppendAsync(events).ConfigureAwait(false);
                if (steps is null)
                    await ReachAttemptAsync().ConfigureAwait(false);
                await HandleAsync().ConfigureAwait(false);
                if (Process.Reaction.Failure is not null)
                    break;
            }
            var stored = await app!.ReadAsync(Query.All).ToListAsync().ConfigureAwait(false);
            // Personal data is decrypted, and the key of pseudonyms read, while the store is open: the outcome is looked at later.
            stored.ForEach(static e => _ = e.UnreadableMembers);
            stored.ForEach(static e => _ = e.Has(anyPseudonym));
            Outcome = new ReactionOutcome
            {
                Appended = [.. stored.Where(e => !appPositions.Contains(e.Position))],
                Calls = [.. calls],
            };
            await Process.DisposeAsync().ConfigureAwait(false);
            await app!.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            setting.Clock.Shift = TimeSpan.Zero;
        }
    }

    private async Task BeginAsync()
    {
        app = Open(create: true);
        outside = await setting.Scenario.GivenEvents.AppendAsync(app, setting.StoreClock, CancellationToken.None).ConfigureAwait(false);
        Given = await app.ReadAsync(Query.All).ToListAsync().ConfigureAwait(false);
        foreach (var e in Given)
            appPositions.Add(e.Position);
    }

    // Each process that ends before its first handler is an attempt.
    private async Task ReachAttemptAsync()
    {
        for (var attempt = 1; attempt < setting.FirstAttempt; attempt++)
        {
            Start(atHandler: true);
            if (!await TryRunAsync().ConfigureAwait(false))
                continue;
            throw Store.Failure($"The reaction handles none of the events that happen first, so it has no attempt {setting.FirstAttempt}.");
        }
        Start();
        Crash = steps;
    }

    private async Task HandleAsync()
    {
        while (!await TryRunAsync().ConfigureAwait(false))
        {
            if (cutsPower)
            {
                disk = disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll));
                app = Open(create: false);
            }
            Move(setting.Downtime);
            Start();
        }
    }

    private void Start(bool atHandler = false)
    {
        process = null;
        var client = disk.Attach();
        var isToCrash = !atHandler && Crash is null;
        steps = new CrashSteps(cutsPower && isToCrash ? disk.Cut : client.Kill, isToCrash ? last : null, atHandler);
        var (of, firstPosition) = (steps, Given.Count + 1);
        open = () => new ReactionProcess(setting, client, of, firstPosition, calls);
    }

    // False: the process has crashed.
    private async Task<bool> TryRunAsync()
    {
        try
        {
            process ??= open!();
            await process.RunAsync().ConfigureAwait(false);
            return steps!.EndedBefore is null;
        }
        catch (Exception) when (steps!.EndedBefore is not null)
        {
            // Nobody lived to handle it.
            return false;
        }
    }

    private async Task AppendAsync(NewEvent[] events)
    {
        var appended = await app!.AppendAsync(events).ConfigureAwait(false);
        for (var position = appended.FirstPosition; position <= appended.LastPosition; position++)
            appPositions.Add(position);
    }

    private void Move(TimeSpan by)
    {
        time += by;
        setting.Clock.Shift = time;
    }

    private FileSystemEventStore Open(bool create) =>
        FileSystemEventStore.Open(setting.Options, disk.Attach(), ReactionSetting.Root, create, isInMemory: true);
}
