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

    public void Dispose() => shell.Dispose();

    private static void WriteTo(int error)
    {
        using var pipe = new PipeStream(new FailingStream(error));
        pipe.Write("text"u8);
    }

    private sealed class FailingStream(int error) : WritingStream
    {
        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("", error);
    }
}
