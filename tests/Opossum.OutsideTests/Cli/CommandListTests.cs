using Opossum.Cli;
using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

public sealed class CommandListTests
{
    [Fact]
    public void Each_name_makes_the_command_of_that_name_and_no_other()
    {
        using var terminal = new Terminal(TextWriter.Null, static () => TextWriter.Null, static () => TextReader.Null);
        var all = CommandList.New(terminal, only: null).Select(static command => command.Name).ToList();

        Assert.All(all, name => Assert.Equal([name], CommandList.New(terminal, name).Select(static command => command.Name)));
        Assert.Equal(all, CommandList.New(terminal, only: "query").Select(static command => command.Name));
    }
}
