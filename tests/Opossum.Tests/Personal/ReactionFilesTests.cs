using Opossum.Maintenance;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Personal;

/// <summary>A search for a person's text finds it in the files of reactions.</summary>
public sealed class ReactionFilesTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Error_of_a_parked_event_is_found_and_named_as_a_reactions()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation))
        {
            var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException("no mailbox ann@example.org"));
            await using var runner = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
            await store.AppendAsync([NewEvent.FromJson("other", "{}"), RecordingReaction.Placed("a")], cancellationToken: Cancellation);
            await runner.WaitForAsync(2, Cancellation);
        }

        var report = await PersonalDataSearch.RunAsync(folder, "ann@example.org", cancellationToken: Cancellation);

        var hit = Assert.Single(report.Hits);
        Assert.Equal((PersonalDataPlace.Reaction, 2L, "placed"), (hit.Place, hit.Position, hit.EventType));
        Assert.Equal(Path.Combine(folder, "Reactions", "recording", "parked", "0000000002.json"), hit.Path);
    }

    [Fact]
    public async Task Redaction_names_the_files_of_reactions_that_are_about_the_event()
    {
        await using (var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder }, Cancellation))
        {
            var reaction = new RecordingReaction(ReactionStart.Head, async (context, cancellationToken) =>
            {
                if (context.Event.Tags.Contains(new Tag("order", "late")))
                    await context.ScheduleAsync(DateTimeOffset.MaxValue, NewEvent.FromJson("expired", "{}"), null, cancellationToken);
                else
                    throw new InvalidOperationException("no mailbox ann@example.org");
            });
            await using var runner = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
            await store.AppendAsync([WithMail("parked"), WithMail("skipped"), WithMail("late"), WithMail("other")], cancellationToken: Cancellation);
            await runner.WaitForAsync(4, Cancellation);
            await store.Reactions["recording"].SkipAsync(2, "ann@example.org has left", cancellationToken: Cancellation);
        }

        var report = await StoreRepair.RedactAsync(folder, [1, 2, 3], ["email"], "asked for", cancellationToken: Cancellation);

        var files = Path.Combine(folder, "Reactions", "recording");
        string[] expected =
        [
            Path.Combine(files, "parked", "0000000001.json"),
            Path.Combine(files, "skipped", "0000000002.json"),
            Assert.Single(Directory.GetFiles(Path.Combine(files, "due"))),
        ];
        Assert.Equal(expected, report.Reactions);
        Assert.All(expected, path => Assert.Contains(path, report.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_scheduled_event_lies_encrypted_in_its_file()
    {
        var options = new OpossumOptions { Path = folder };
        options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = Customers.Key;
        await using (var store = await FileSystemEventStore.OpenAsync(options, Cancellation))
        {
            var reaction = new RecordingReaction(ReactionStart.Head, (context, cancellationToken) =>
                context.ScheduleAsync(DateTimeOffset.MaxValue, new NewEvent(Customers.Registered()), null, cancellationToken));
            await using var runner = store.StartReactions([reaction]);
            await store.AppendAsync([RecordingReaction.Placed("a")], cancellationToken: Cancellation);
            await reaction.WaitForAsync(1);
        }

        var due = Assert.Single(Directory.GetFiles(Path.Combine(folder, "Reactions", "recording", "due")));
        Assert.Contains("$sealed", await File.ReadAllTextAsync(due, Cancellation), StringComparison.Ordinal);
        foreach (var secret in Customers.Secrets)
            Assert.Equal(0, (await PersonalDataSearch.RunAsync(folder, secret, cancellationToken: Cancellation)).Total);
    }

    private static NewEvent WithMail(string order) => NewEvent.FromJson("placed", """{"email":"ann@example.org"}""", new Tag("order", order));
}
