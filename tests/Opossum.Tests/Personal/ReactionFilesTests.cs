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
}
