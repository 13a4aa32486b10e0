namespace Opossum.Tests.Projections;

/// <summary>
/// Symbolic links among the files of a projection: what lies behind them is neither removed nor written, and they are refused by name.
/// </summary>
public sealed class ProjectionLinkTests : IDisposable
{
    private const int HangMilliseconds = 60_000;

    private static readonly ProjectionOptions quick =
        new() { TakeOverInterval = TimeSpan.FromMilliseconds(10), PollInterval = TimeSpan.FromMilliseconds(5) };

    private readonly StorePlace place = StorePlace.InFolder();
    private readonly string outside;

    public ProjectionLinkTests()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "making links takes a right on Windows that few have");
        outside = place.Root + "-outside";
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => place.Dispose();

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("old.0000000001")]
    [InlineData("old.0000000001/mine")]
    [InlineData("old.0000000001/states/3f")]
    [InlineData("live/staging")]
    [InlineData("live/staging/mine")]
    public async Task A_link_where_folders_are_removed_goes_itself_and_what_it_leads_to_stays(string name)
    {
        await CountAsync();
        FillOutside();
        var link = Find(name);
        if (Directory.Exists(link))
            Directory.Delete(link, recursive: true);
        Directory.CreateDirectory(Path.GetDirectoryName(link)!);
        Directory.CreateSymbolicLink(link, outside);
        var before = place.Snapshot(outside);

        await CountAsync(() => new FileInfo(link).LinkTarget is null);
        Assert.Equal(before, place.Snapshot(outside));
    }

    [Theory(Timeout = HangMilliseconds)]
    [InlineData("")]
    [InlineData("counts")]
    [InlineData("live")]
    [InlineData("live/states")]
    [InlineData("live/states/bucket")]
    [InlineData("requests")]
    [InlineData("skipped")]
    public async Task A_link_in_the_place_of_a_folder_is_refused_by_name(string name)
    {
        await CountAsync();
        var (live, link) = (Live(), Find(name));
        if (Directory.Exists(link))
            Directory.Move(link, outside);
        else
            FillOutside();
        Directory.CreateSymbolicLink(link, outside);
        var before = place.Snapshot(outside);

        var store = place.Open();
        await using var runner = store.StartProjections([new Counts()], quick);
        await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
        var complaint = (string?)null;
        while (complaint is null)
        {
            complaint = await ComplaintAsync(async () => complaint = (await store.Projections["counts"].GetStatusAsync(Cancellation)).Problem?.Error) ?? complaint;
            Cancellation.ThrowIfCancellationRequested();
            await Task.Yield();
        }
        // Whoever takes the lead gives that folder another name before it looks for states.
        var named = name == "live/states/bucket" ? link[live.Length..] : link;
        AssertNames(named, complaint);
        var isRead = name is not ("requests" or "skipped");
        var refusal = await ComplaintAsync(async () => await store.Projections.Get<Count>().GetAsync("a", Cancellation));
        if (isRead)
            AssertNames(named, refusal!);
        else
            Assert.Null(refusal);
        if (name is "" or "counts" or "requests")
            AssertNames(link, (await Assert.ThrowsAsync<StoreIOException>(async () => await store.Projections["counts"].RebuildAsync(cancellationToken: Cancellation))).Message);
        await runner.DisposeAsync();
        Assert.Equal(before, place.Snapshot(outside));

        // Once what it led to is in its place again, all continues.
        link = link.Replace(live, Live(), StringComparison.Ordinal);
        File.Delete(link);
        Directory.Move(outside, link);
        await CountAsync();
    }

    private static void AssertNames(string link, string complaint)
    {
        Assert.Contains(link, complaint, StringComparison.Ordinal);
        Assert.Contains("symbolic link", complaint, StringComparison.Ordinal);
    }

    private static async Task<string?> ComplaintAsync(Func<Task> read)
    {
        try
        {
            await read();
            return null;
        }
        catch (StoreIOException e)
        {
            return e.Message;
        }
    }

    private string Find(string name)
    {
        var root = Path.Combine(place.Layout.Projections, "counts");
        if (name is "" or "counts")
            return name == "" ? place.Layout.Projections : root;
        if (!name.StartsWith("live", StringComparison.Ordinal))
            return Path.Combine(root, name);
        var live = Live();
        return name switch
        {
            "live" => live,
            "live/states/bucket" => Directory.GetFiles(live, "a.json", SearchOption.AllDirectories).Select(Path.GetDirectoryName).Single()!,
            _ when name.StartsWith("live/staging", StringComparison.Ordinal) =>
                Directory.GetDirectories(live, "staging.*").Single() + name["live/staging".Length..],
            _ => live + name["live".Length..],
        };
    }

    private string Live() => Directory.GetDirectories(Path.Combine(place.Layout.Projections, "counts"), "live.*").Single();

    // Starts the projection on what is there, and has it count one more event.
    private async Task CountAsync(Func<bool>? isDone = null)
    {
        var store = place.Open();
        await using (var runner = store.StartProjections([new Counts()], quick))
        {
            var appended = await store.AppendAsync([Counts.Counted("a")], cancellationToken: Cancellation);
            await store.Projections.Get<Count>().WaitForAsync(appended.LastPosition, Cancellation);
            Assert.Equal((int)appended.LastPosition, (await store.Projections.Get<Count>().GetAsync("a", Cancellation))?.Number);
            while (isDone?.Invoke() == false)
                Cancellation.ThrowIfCancellationRequested();
            await Task.Yield();
        }
        place.CloseStores();
    }

    // With names that a projection would take for its own.
    private void FillOutside()
    {
        foreach (var name in (string[])["mine.txt", "model.json", "states/3f/a.json", "staging.0000000001/0"])
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(outside, name))!);
            File.WriteAllText(Path.Combine(outside, name), "mine");
        }
    }
}
