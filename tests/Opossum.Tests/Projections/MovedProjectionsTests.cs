namespace Opossum.Tests.Projections;

/// <summary>A store's folder that another takes the place of while a process keeps projections in it.</summary>
public sealed class MovedProjectionsTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(5) };

    private readonly StorePlace place = StorePlace.InFolder();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Fact(Timeout = HangMilliseconds)]
    public async Task States_of_the_store_that_has_taken_its_place_are_left_alone()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows moves no folder in which files are open");
        var aside = place.Root + ".aside";
        var store = place.Open();
        await using var runner = store.StartProjections([new Counts()], quick);
        await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        await store.Projections.Get<Count>().WaitForAsync(1, Cancellation);
        // With folders of the same names in it.
        var copy = place.Root + ".copy";
        CopyFolder(place.Root, copy);
        Directory.Move(place.Root, aside);
        Directory.Move(copy, place.Root);
        var before = place.Snapshot(place.Layout.Projections);

        // What comes to the store where it is now is still seen by the process that has its files open.
        await using (var moved = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = aside }, Cancellation))
            await moved.AppendAsync([Counts.Counted("a"), Counts.Counted("b")], cancellationToken: Cancellation);
        while ((await store.Projections["counts"].GetStatusAsync(Cancellation)).Problem?.Error.Contains(place.Root, StringComparison.Ordinal) != true)
        {
            Assert.Equal(before, place.Snapshot(place.Layout.Projections));
            await Task.Yield();
        }
        await Assert.ThrowsAsync<StoreIOException>(async () => await store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation));
        await runner.DisposeAsync();
        Assert.Equal(before, place.Snapshot(place.Layout.Projections));
    }

    private static void CopyFolder(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var folder in Directory.GetDirectories(from))
            CopyFolder(folder, Path.Combine(to, Path.GetFileName(folder)));
        foreach (var file in Directory.GetFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
    }
}
