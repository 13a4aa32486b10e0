namespace Opossum.AspNetCoreTests.Pages;

/// <summary>A reaction that schedules a reminder for each "placed", and fails at each "paid" with the text in its data.</summary>
internal sealed class Mails : Reaction
{
    public static readonly DateTimeOffset ReminderAt = new(2100, 1, 2, 3, 4, 5, TimeSpan.Zero);

    public Mails()
        : base("mails")
    {
        StartFrom(ReactionStart.Beginning);
        KeyBy("order");
        ContinueWhenParked();
        On("placed", static (context, cancellationToken) => context.ScheduleAsync(ReminderAt, Remind(context.Event), null, cancellationToken));
        On("paid", static (context, _) => throw new InvalidOperationException(context.Event.Metadata["error"]));
    }

    public static NewEvent Placed(string order) => NewEvent.FromJson("placed", "{}", new Tag("order", order));

    public static NewEvent Paid(string order, string error = "The mail server is away.") =>
        NewEvent.FromJson("paid", "{}", new Tag("order", order)) with
        {
            Metadata = new Dictionary<string, string> { ["error"] = error },
        };

    protected override bool IsPermanent(Exception exception) => true;

    private static NewEvent Remind(SequencedEvent placed) => NewEvent.FromJson("reminded", """{"text":"secret"}""", [.. placed.Tags]);
}
