using Opossum.ProcessTests.Worker;

namespace Opossum.ProcessTests;

public sealed class HaltedProcessTests
{
    private static readonly NewEvent other = NewEvent.FromJson("other", "{}");

    [Theory]
    [InlineData(HaltPlace.BeforeSecondFile)]
    [InlineData(HaltPlace.BeforeThirdFile)]
    [InlineData(HaltPlace.BehindFlush)]
    public async Task Others_wait_for_a_process_that_is_stopped_in_an_append_and_all_goes_on_when_it_does(HaltPlace place)
    {
        LongTests.SkipUnless(place == HaltPlace.BehindFlush);
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no SIGSTOP");
        using var folder = new StoreFolder();
        await using var store =
            await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = folder.Path, LockTimeout = TimeSpan.FromMilliseconds(100) });
        await store.AppendAsync([other]);
        using var worker = await HaltAsync(folder, place);
        worker.Signal("STOP");

        var appending = await Assert.ThrowsAsync<StoreLockTimeoutException>(async () => await store.AppendAsync([other]));
        Assert.StartsWith($"process {worker.Id} ", appending.Holder, StringComparison.Ordinal);
        var opening =
            await Assert.ThrowsAsync<StoreLockTimeoutException>(async () => await FileSystemEventStore.OpenAsync(new OpossumOptions
            {
                Path =
                folder.Path,
                LockTimeout = TimeSpan.Zero
            }));
        Assert.StartsWith($"process {worker.Id} ", opening.Holder, StringComparison.Ordinal);
        Assert.Single(await store.ReadAsync(Query.All).ToListAsync());

        worker.Say("go on");
        worker.Signal("CONT");
        await worker.HearAsync("appended 2 to 4");
        await worker.EndAsync();
        Assert.Equal(5, (await store.AppendAsync([other])).FirstPosition);
        Assert.Equal(["other", "halting", "halting", "halting", "other"],
            (await store.ReadAsync(Query.All).ToListAsync()).Select(static e => e.Type));
        await folder.CheckAsync();
    }

    [Theory]
    [InlineData(HaltPlace.BeforeSecondFile, 0)]
    [InlineData(HaltPlace.BeforeThirdFile, 0)]
    [InlineData(HaltPlace.BehindFlush, 3)]
    public async Task An_append_whose_process_is_killed_in_it_is_there_wholly_or_not_at_all(HaltPlace place, int events)
    {
        LongTests.SkipUnless(place == HaltPlace.BeforeThirdFile);
        using var folder = new StoreFolder();
        await using var store = await folder.OpenAsync();
        await store.AppendAsync([other]);
        using (var worker = await HaltAsync(folder, place))
            worker.Kill();

        var next = await store.AppendAsync([other]);
        Assert.Equal(events + 2, next.FirstPosition);
        var types = (await store.ReadAsync(Query.All).ToListAsync()).Select(static e => e.Type);
        Assert.Equal(["other", .. Enumerable.Repeat("halting", events), "other"], types);
        Assert.Equal(types, (await folder.ReadAllAsync()).Select(static e => e.Type));
        await folder.CheckAsync();
    }

    private static async Task<WorkerProcess> HaltAsync(StoreFolder folder, HaltPlace place)
    {
        var worker = WorkerProcess.Start("halt", folder.Path, $"{place}");
        await worker.HearAsync(HaltingWriter.Halted);
        return worker;
    }
}
