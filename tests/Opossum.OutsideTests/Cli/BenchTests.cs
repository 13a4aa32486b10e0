using System.Text.Json;
using Opossum.Cli;
using Opossum.Cli.Benching;

namespace Opossum.CliTests;

public sealed class BenchTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task Figures_of_disk_and_store_are_reported_and_nothing_is_left_in_the_folder()
    {
        Directory.CreateDirectory(shell.PathOf("disk"));

        var report = JsonDocument.Parse((await shell.RunAsync("bench", shell.PathOf("disk"), "--seconds", "1", "--json")).Succeeded().Out).RootElement;

        var figures = report.GetProperty("figures").EnumerateArray().ToList();
        Assert.Equal(9, figures.Count);
        Assert.All(figures, static figure =>
        {
            Assert.True(figure.GetProperty("medianMicroseconds").GetDouble() > 0);
            Assert.True(figure.GetProperty("measured").GetInt32() > 0);
        });
        Assert.NotEqual("", report.GetProperty("fileSystem").GetString());
        Assert.Empty(Directory.EnumerateFileSystemEntries(shell.PathOf("disk")));
    }

    [Fact]
    public async Task A_store_is_not_measured_in()
    {
        await Sales.CreateAsync(shell.PathOf("sales"));

        var result = await shell.RunAsync("bench", shell.PathOf("sales"));

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("is a store", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_that_is_missing_is_named_and_not_created()
    {
        var result = await shell.RunAsync("bench", shell.PathOf("nothing"));

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains("is not a folder", result.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(shell.PathOf("nothing")));
    }

    [Theory]
    [InlineData("/srv/shop", "rw relatime errors=remount-ro")]
    [InlineData("/srv/my share/shop", "rw nosuid vers=3.1.1 nobrl")]
    [InlineData("/srv/my shares", "rw relatime errors=remount-ro")]
    public void Mount_options_are_those_of_the_mount_that_holds_the_folder(string folder, string options)
    {
        string[] lines =
        [
            "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro",
            @"61 22 0:52 / /srv/my\040share rw,nosuid - cifs //server/shop rw,vers=3.1.1,nobrl",
        ];

        Assert.Equal(options.Split(' '), Mount.OptionsOf(folder, lines));
    }

    [Fact]
    public void A_good_disk_needs_no_advice() => Assert.Empty(Advice(Disk("ext4"), flush: 800, creation: 40, alone: 900, together: 9_000));

    [Theory]
    [InlineData("power cut", 10, 40, 900)]
    [InlineData("virus scanner", 800, 2_000, 900)]
    [InlineData("50 callers", 800, 40, 50)]
    public void Advice_names_what_the_figures_show(string words, double flush, double creation, double alone) =>
        Assert.Contains(words, Assert.Single(Advice(Disk("ext4"), flush, creation, alone, together: 9_000)), StringComparison.Ordinal);

    [Fact]
    public void Advice_names_a_mount_option_that_loses_events() =>
        Assert.Contains("nobarrier", Assert.Single(Advice(Disk("ext4"), 800, 40, 900, 9_000, "rw", "nobarrier")), StringComparison.Ordinal);

    public void Dispose() => shell.Dispose();

    private static List<string> Advice(StoreStatus status, double flush, double creation, double alone, double together, params string[] options) =>
    [
        .. BenchAdvice.Of(status, options,
        [
            Figure(DiskBench.RawFlush, flush), Figure(DiskBench.RawCreation, creation),
            Figure(DiskBench.LoneAppend, 1_000_000 / alone), Figure(DiskBench.ConcurrentAppends, 1_000_000 / together),
        ]),
    ];

    private static BenchFigure Figure(string name, double microseconds) =>
        BenchFigure.Of(name, "events", 1, [TimeSpan.FromMicroseconds(microseconds)]);

    private static StoreStatus Disk(string fileSystem) => new()
    {
        Id = Guid.NewGuid(),
        Path = "shop",
        Head = 0,
        EventTypes = [],
        EventTypesTotal = 0,
        TagKeys = [],
        TagKeysTotal = 0,
        IsReadOnly = false,
        FileSystem = fileSystem,
        IsNetwork = false,
        Flush = FlushMethod.LastFile,
    };
}
