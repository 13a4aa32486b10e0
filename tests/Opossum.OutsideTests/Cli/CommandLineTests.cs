using Opossum.Cli;
using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

public sealed class CommandLineTests : IDisposable
{
    private readonly Shell shell = new();

    [Fact]
    public async Task Help_of_a_command_begins_with_examples()
    {
        var result = (await shell.RunAsync("info", "--help")).Succeeded();

        Assert.StartsWith("Examples:\n  opossum info sales\n", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_command_there_is_help()
    {
        var result = (await shell.RunAsync()).Succeeded();

        Assert.Contains("\n  info ", result.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_option_is_named_and_ends_with_the_code_for_wrong_usage()
    {
        var result = await shell.RunAsync("info", "sales", "--colour");

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Equal("", result.Out);
        Assert.Equal("opossum: Unrecognized command or argument '--colour'.\nSee: opossum info --help\n", result.Error);
    }

    [Fact]
    public void Only_a_pipe_whose_reader_has_ended_is_broken()
    {
        const int TryAgain = 11;
        var readerHasEnded = OperatingSystem.IsWindows() ? unchecked((int)0x8007006D) : 32;

        Assert.Equal(TryAgain, Assert.Throws<IOException>(() => WriteTo(TryAgain)).HResult);
        Assert.Throws<BrokenPipeException>(() => WriteTo(readerHasEnded));
    }

    [Fact]
    public async Task An_error_that_cannot_be_written_keeps_its_exit_code()
    {
        using var output = new StringWriter();
        using var full = new FullWriter();
        using var terminal = new Terminal(output, () => full, () => TextReader.Null);

        Assert.Equal(ExitCode.NoStore, await RunAsync(terminal, "read", shell.PathOf("none")));
        Assert.Equal(ExitCode.Usage, await RunAsync(terminal, "read", shell.PathOf("none"), "--colour"));
    }

    [Fact]
    public async Task A_change_whose_report_cannot_be_written_is_done()
    {
        using var full = new FullWriter();
        using var error = new StringWriter { NewLine = "\n" };
        using var terminal = new Terminal(full, () => error, () => new StringReader("{}"));
        var store = shell.PathOf("sales");

        Assert.Equal(ExitCode.Ok, await RunAsync(terminal, "new", store));
        Assert.Equal(ExitCode.Ok, await RunAsync(terminal, "append", store, "--type", "a"));
        Assert.Equal(ExitCode.Failed, await RunAsync(terminal, "append", store, "--type", "a", "--dry-run"));
        Assert.Equal(ExitCode.Failed, await RunAsync(terminal, "read", store));

        const string Done = "opossum: The work was done; its report could not be completed: The disk is full.\n";
        Assert.Equal($"{Done}{Done}opossum: The disk is full.\nopossum: The disk is full.\n", error.ToString());
        Assert.Equal(1, (await shell.RunAsync("info", store, "--json")).Succeeded().Json.GetProperty("head").GetInt64());
    }

    [Fact]
    public async Task A_reader_that_ends_early_does_not_hide_that_a_change_failed()
    {
        using var broken = new BrokenWriter();
        using var error = new StringWriter();
        using var terminal = new Terminal(broken, () => error, () => TextReader.Null);
        var (store, key) = (shell.PathOf("sales"), shell.PathOf("sales.key"));
        await Sales.CreateAsync(store);

        Assert.Equal(ExitCode.Ok, await RunAsync(terminal, "proof", "key", key, "--name", "shop.example"));
        Assert.Equal(ExitCode.Failed, await RunAsync(terminal, "proof", "checkpoint", store, "--key", key, "--witness", shell.PathOf("none")));
        Assert.Equal(ExitCode.Ok, await RunAsync(terminal, "read", store));
    }

    [Fact]
    public async Task What_fails_after_a_change_keeps_the_exit_code_of_the_change()
    {
        using var interruption = new CancellationTokenSource();
        using var interrupting = new InterruptingWriter(interruption);
        using var error = new StringWriter();
        var (store, from) = (shell.PathOf("desk"), shell.PathOf("sales"));
        await Desk.MakeAsync(store);
        await Sales.CreateAsync(from);
        var lines = (await shell.RunAsync("export", from)).Succeeded().Out;
        using var terminal = new Terminal(interrupting, () => error, () => new StringReader(lines));

        var exitCode = await Task.Run(() => CommandLine.Run(["import", store], terminal, interruption.Token));

        Assert.Equal(ExitCode.Ok, (ExitCode)exitCode);
        Assert.StartsWith("opossum: The work was done; ", error.ToString(), StringComparison.Ordinal);
    }

    public void Dispose() => shell.Dispose();

    private static async Task<ExitCode> RunAsync(Terminal terminal, params string[] arguments) =>
        (ExitCode)await Task.Run(() => CommandLine.Run(arguments, terminal, CancellationToken.None));

    private static void WriteTo(int error)
    {
        using var pipe = new PipeStream(new FailingStream(error));
        pipe.Write("text"u8);
    }

    private sealed class FailingStream(int error) : WritingStream
    {
        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("", error);
    }

    private sealed class FullWriter : TextWriter
    {
        public override System.Text.Encoding Encoding => System.Text.Encoding.UTF8;

        public override void Write(char value) => throw new IOException("The disk is full.");
    }

    private sealed class BrokenWriter : TextWriter
    {
        public override System.Text.Encoding Encoding => System.Text.Encoding.UTF8;

        public override void Write(char value) => throw new BrokenPipeException(new IOException());
    }

    // Ctrl-C comes with the report.
    private sealed class InterruptingWriter(CancellationTokenSource interruption) : TextWriter
    {
        public override System.Text.Encoding Encoding => System.Text.Encoding.UTF8;

        public override void Write(char value) => interruption.Cancel();
    }
}
