namespace Opossum.CliTests;

/// <summary>A store on which a reaction has run: one of its three events is parked, and nothing runs any more.</summary>
internal static class Desk
{
    private static readonly ReactionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(1), MaxRetryAttempts = 0 };

    /// <summary>Appends three events, and lets the reaction handle them.</summary>
    public static async Task MakeAsync(string path)
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }))
        {
            foreach (var order in (string[])["o1", "o2", "o3"])
                await store.AppendAsync(NewEvent.FromJson("order-paid", "{}", new Tag("order", order)));
        }
        await RunAsync(path, failAt: 2, isDone: static status => status is { Position: 3, Open: 0, Parked.Count: 1 });
    }

    /// <summary>Runs the reaction until its status is as it should be.</summary>
    /// <returns>The positions that were handled.</returns>
    public static async Task<List<long>> RunAsync(string path, long failAt, Func<ReactionStatus, bool> isDone)
    {
        var handled = new List<long>();
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path });
        await using var running = store.StartReactions([new Mails(failAt, handled)], quick);
        while (!isDone(await store.Reactions["mails"].GetStatusAsync()))
            await Task.Yield();
        return handled;
    }

    private sealed class Mails : Reaction
    {
        public Mails(long failAt, List<long> handled)
            : base("mails")
        {
            StartFrom(ReactionStart.Beginning);
            KeyBy("order");
            On("order-paid", (context, _) =>
            {
                if (context.Event.Position == failAt)
                    throw new FormatException("This order has no address.");
                lock (handled)
                    handled.Add(context.Event.Position);
                return Task.CompletedTask;
            });
        }
    }
}
