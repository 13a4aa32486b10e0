using Opossum.SampleTests;

namespace Opossum.ProcessTests;

/// <summary>
/// The whole sample AssemblyLine: a control room and its machines, each a process. It proves itself at its end, and a test hears the
/// outcome.
/// </summary>
public sealed class AssemblyLineTests
{
    [Fact]
    public async Task A_short_run_ends_well()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        using var line = WorkerProcess.StartProgram(SampleProgram.AssemblyOf("AssemblyLine"), "--short", "--store", folder.Path);

        await AssertEndsWellAsync(line);
        await folder.CheckAsync();
    }

    [Fact]
    public async Task A_killed_machine_is_noticed_and_replaced_and_Ctrl_C_ends_the_shift_well()
    {
        LongTests.SkipUnlessAsked();
        Interrupts.SkipUnlessTheyArrive();
        using var folder = new StoreFolder();
        using var line = WorkerProcess.StartProgram(SampleProgram.AssemblyOf("AssemblyLine"), "--plain", "--restart", "--duration", "2m", "--store", folder.Path);

        var killed = await HearUntilAsync(line, "m4 is process ");
        await WaitForPartAsync(folder);
        WorkerProcess.Signal("KILL", killed);
        Assert.StartsWith($"process {killed} ended", await HearUntilAsync(line, "m4 is lost: "));
        Assert.NotEqual(killed, await HearUntilAsync(line, "m4 is process "));
        WorkerProcess.Signal("INT", $"{line.Id}");

        await AssertEndsWellAsync(line);
        await folder.CheckAsync();
    }

    [Fact]
    public async Task A_line_that_cannot_open_its_store_says_so()
    {
        LongTests.SkipUnlessAsked();
        using var folder = new StoreFolder();
        await File.WriteAllTextAsync(folder.Path, "no folder");
        using var line = WorkerProcess.StartProgram(SampleProgram.AssemblyOf("AssemblyLine"), "--short", "--store", folder.Path);

        while (await line.HearOrEndAsync() is not null)
        {
        }
        Assert.Contains(folder.Path, await line.FailAsync());
    }

    /// <summary>The rest of the first line that begins so.</summary>
    private static async Task<string> HearUntilAsync(WorkerProcess line, string start)
    {
        while (await line.HearOrEndAsync() is { } heard)
        {
            if (heard.StartsWith(start, StringComparison.Ordinal))
                return heard[start.Length..];
        }
        Assert.Fail($"The line has ended and never said \"{start}\".");
        return "";
    }

    private static async Task WaitForPartAsync(StoreFolder folder)
    {
        await using var store = await folder.OpenAsync();
        await store.SubscribeAsync(Query.FromEventTypes("cycle-completed")).FirstAsync();
    }

    private static async Task AssertEndsWellAsync(WorkerProcess line)
    {
        var checks = new List<string>();
        while (await line.HearOrEndAsync() is { } heard)
        {
            if (heard.StartsWith("  ok ", StringComparison.Ordinal) || heard.StartsWith("  WRONG", StringComparison.Ordinal))
                checks.Add(heard);
        }
        Assert.Equal(5, checks.Count);
        Assert.DoesNotContain(checks, check => check.StartsWith("  WRONG", StringComparison.Ordinal));
        await line.EndAsync();
    }
}
