namespace Opossum.ProcessTests.Worker;

/// <summary>
/// Records, outside the store, which events it begins and ends to handle; appends one event for each, or schedules one; others it cannot handle.
/// </summary>
internal sealed class Settling : Reaction
{
    public const string ReactionName = "settling";
    public const string Account = "account";
    public const string Of = "of";

    private static readonly TimeSpan delay = TimeSpan.FromMilliseconds(20);

    private readonly Lock gate = new();
    private readonly string record;

    /// <param name="record">The file in which this process records what it does; it may be missing.</param>
    public Settling(string record)
        : base(ReactionName)
    {
        this.record = record;
        StartFrom(ReactionStart.Beginning);
        KeyBy(Account);
        ContinueWhenParked();
        On("billed", (context, cancellationToken) =>
            RecordAsync(context, () => context.AppendAsync(Follows("settled", context), cancellationToken: cancellationToken)));
        On("lent", (context, cancellationToken) => RecordAsync(context, () =>
            context.ScheduleAsync(context.Event.Timestamp + delay, Follows("reminded", context), cancellationToken: cancellationToken)));
        On("disputed", static (_, _) => throw new InvalidOperationException("Nobody can settle this."));
    }

    public static ReactionOptions Options => new()
    {
        TakeOverInterval = TimeSpan.FromMilliseconds(50),
        WriteInterval = TimeSpan.FromMilliseconds(20),
        PollInterval = TimeSpan.FromMilliseconds(10),
        RetryDelay = TimeSpan.Zero,
        MaxRetryAttempts = 1,
    };

    /// <summary>Runs it until this process is killed or hears a line.</summary>
    public static async Task RunAsync(string path, string record)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await using var runner = store.StartReactions([new Settling(record)], Options);
        Lines.Say("ready");
        Lines.Hear();
    }

    private static NewEvent Follows(string type, ReactionContext context) =>
        NewEvent.FromJson(type, "{}", [new Tag(Of, $"{context.Event.Position}")]);

    private async Task RecordAsync(ReactionContext context, Func<Task> handle)
    {
        Record(new Handled(context, IsEnd: false));
        await handle();
        Record(new Handled(context, IsEnd: true));
    }

    private void Record(Handled handled)
    {
        lock (gate)
            File.AppendAllText(record, $"{handled}\n");
    }
}
