using Microsoft.Extensions.Diagnostics.HealthChecks;
using Opossum.DependencyInjection;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Opening;

/// <summary>A store's folder that is moved, replaced or deleted while a process has it open: nothing is written where it was.</summary>
public sealed class MovedFolderTests : IDisposable
{
    private readonly StorePlace place = StorePlace.InFolder();

    public static TheoryData<string> Changes => ["another store", "an older backup", "moved away", "deleted"];

    private string Aside => place.Root + ".aside";

    public void Dispose() => place.Dispose();

    [Theory]
    [MemberData(nameof(Changes))]
    public async Task The_next_append_is_refused_and_faults_the_store(string change)
    {
        var store = await OpenWithThreeAsync();
        var there = await ChangeAsync(change);

        var error = await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("lost")]));
        Assert.Equal(AppendOutcome.NothingWritten, error.Outcome);
        Assert.False(error.IsTransient);
        Assert.Contains(place.Root, error.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("lost")]));

        place.CloseStores();
        Assert.Equal(there, Directory.Exists(place.Root) ? place.Snapshot(place.Layout.Events).Keys : []);
        if (!Directory.Exists(place.Root))
            return;
        Assert.Equal(there.Count(each => each.EndsWith(".json", StringComparison.Ordinal)), await place.Open().GetHeadAsync());
        place.AssertClean();
    }

    [Theory]
    [MemberData(nameof(Changes))]
    public async Task Events_that_were_not_flushed_yet_are_not_looked_for_in_another_folder(string change)
    {
        var options = place.Options();
        options.FlushEventsImmediately = false;
        var store = await FileSystemEventStore.OpenAsync(options, TestContext.Current.CancellationToken);
        await store.AppendAsync([New("a"), New("b"), New("c")]);
        var there = await ChangeAsync(change);

        await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.DisposeAsync());
        Assert.Equal(there, Directory.Exists(place.Root) ? place.Snapshot(place.Layout.Events).Keys : []);
    }

    [Theory]
    [MemberData(nameof(Changes))]
    public async Task Health_says_so_before_anybody_appends(string change)
    {
        var store = await OpenWithThreeAsync();
        await ChangeAsync(change);

        var health = await StoreHealth.JudgeAsync(store, null, HealthStatus.Unhealthy, TestContext.Current.CancellationToken);
        Assert.Equal(HealthStatus.Unhealthy, health.Status);
        Assert.Contains(place.Root, health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_that_came_back_before_anybody_appended_is_the_store()
    {
        var store = await OpenWithThreeAsync();
        Directory.Move(place.Root, Aside);
        Directory.Move(Aside, place.Root);

        Assert.Equal(4, (await store.AppendAsync([New("d")])).LastPosition);
    }

    [Fact]
    public async Task An_append_into_a_deleted_folder_of_event_files_is_no_reason_to_try_again()
    {
        var store = await OpenWithThreeAsync();
        Directory.Delete(place.Layout.ShardFolder(0), recursive: true);

        var error = await Assert.ThrowsAsync<StoreFaultedException>(async () => await store.AppendAsync([New("lost")]));
        Assert.Equal(AppendOutcome.NothingWritten, error.Outcome);
        place.CloseStores();
        Assert.Throws<StoreDamagedException>(() => place.Open());
    }

    private async Task<FileSystemEventStore> OpenWithThreeAsync()
    {
        var store = place.Open();
        await store.AppendAsync([New("a"), New("b"), New("c")]);
        return store;
    }

    // Returns what lies in the folder of events afterwards.
    private async Task<IReadOnlyCollection<string>> ChangeAsync(string change)
    {
        switch (change)
        {
            case "deleted":
                Directory.Delete(place.Root, recursive: true);
                return [];
            case "another store":
                Directory.Move(place.Root, Aside);
                await using (var another = await FileSystemEventStore.OpenAsync(place.Options(), TestContext.Current.CancellationToken))
                    await another.AppendAsync([New("x")]);
                break;
            case "an older backup":
                await using (var older = await FileSystemEventStore.OpenAsync(place.Options(), TestContext.Current.CancellationToken))
                    await older.AppendAsync([New("not in the backup")]);
                Directory.Move(place.Root, Aside);
                foreach (var file in (string[])["store.json", "Events/0000000000/0000000001.json", "Events/0000000000/0000000002.json",
                    "Events/0000000000/0000000003.json"])
                {
                    Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(place.Root, file))!);
                    File.Copy(Path.Combine(Aside, file), Path.Combine(place.Root, file));
                }
                break;
            default:
                Directory.Move(place.Root, Aside);
                return [];
        }
        return place.Snapshot(place.Layout.Events).Keys;
    }
}
