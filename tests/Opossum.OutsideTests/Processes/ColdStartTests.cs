using System.Globalization;

namespace Opossum.ProcessTests;

/// <summary>
/// A console tool is a fresh process each time, and most of its time is compiling. The number of methods is nearly the same on each machine, the
/// time is not; `cold-start` of the benchmarks measures both.
/// </summary>
public sealed class ColdStartTests
{
    // A tenth more than were compiled when this was written.
    private const int CompiledMax = 1_280;

    [Fact]
    public async Task A_process_that_opens_a_store_appends_an_event_and_reads_it_compiles_few_methods()
    {
        LongTests.SkipUnlessAsked();
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems have other calls, which are not counted here.");
        using var folder = new StoreFolder();
        await using (var store = await folder.OpenAsync())
        {
            await store.AppendAsync([.. Enumerable.Range(0, 1_000).Select(at =>
                NewEvent.FromJson("placed", """{ "total": 12 }""", new Tag("order", $"{at / 4}")))], cancellationToken: TestContext.Current.CancellationToken);
        }

        using var process = WorkerProcess.Start("start", folder.Path);
        await process.HearAsync("read 1");
        var compiled = int.Parse(await process.HearAsync("compiled "), CultureInfo.InvariantCulture);
        await process.EndAsync();

        Assert.InRange(compiled, 1, CompiledMax);
        await folder.CheckAsync();
    }
}
