using System.CommandLine;
using Opossum.Cli;
using Opossum.Cli.Terminals;

namespace Opossum.CliTests;

/// <summary>What is typed wrong is said in plain words, with what was probably meant.</summary>
public sealed class UsageTests : StoreTest
{
    public static TheoryData<string, string> Options
    {
        get
        {
            using var terminal = new Terminal(TextWriter.Null, static () => TextWriter.Null, static () => TextReader.Null);
            var data = new TheoryData<string, string>();
            foreach (var command in CommandList.New(terminal, only: null))
                AddOptions(data, command, command.Name);
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Options))]
    public async Task A_wrong_value_of_any_option_is_wrong_usage_in_plain_words(string command, string option)
    {
        var result = await Shell.RunAsync([.. command.Split(' '), Store, $"{option}=x"]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.DoesNotContain("System.", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", result.Error, StringComparison.Ordinal);
        Assert.StartsWith("opossum: ", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("opossum: --last x is not a whole number.", "read", "--last", "x")]
    [InlineData("opossum: --limit -1 is negative.", "tail", "--limit", "-1")]
    [InlineData("opossum: position x is not a whole number.", "prove", "x")]
    public async Task The_message_names_what_is_expected(string message, string command, params string[] wrong)
    {
        var result = await Shell.RunAsync([command, Store, .. wrong]);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.StartsWith(message + "\n", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Did you mean verify?", "verfy")]
    [InlineData("Did you mean --limit?", "read", "sales", "--limti", "3")]
    [InlineData("Did you mean parked?", "reactions", "praked", "sales")]
    public async Task A_mistyped_name_is_answered_with_the_nearest_one(string advice, params string[] arguments)
    {
        var result = await Shell.RunAsync(arguments);

        Assert.Equal(ExitCode.Usage, result.ExitCode);
        Assert.Contains(advice + "\n", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_word_that_is_near_to_nothing_gets_no_advice() =>
        Assert.DoesNotContain("Did you mean", (await Shell.RunAsync("xyzzy")).Error, StringComparison.Ordinal);

    [Theory]
    [InlineData("read")]
    [InlineData("tail", "--limit", "0")]
    [InlineData("export")]
    public async Task A_mistyped_event_type_or_tag_key_is_named(string command, params string[] further)
    {
        var type = await Shell.RunAsync([command, Store, "--type", "order-placd", .. further]);
        var tag = await Shell.RunAsync([command, Store, "--tag", "ordr:o1", .. further]);
        var known = await Shell.RunAsync([command, Store, "--type", "order-placed", "--tag", "order:none", .. further]);

        Assert.Equal("No event has the event type order-placd. Did you mean order-placed?\n", type.Error);
        Assert.Equal("No event has the tag key ordr. Did you mean order?\n", tag.Error);
        Assert.Equal("", known.Error);
    }

    [Fact]
    public async Task A_tag_without_its_value_is_named_unless_an_event_has_it()
    {
        var without = await Shell.RunAsync("read", Store, "--tag", "order");
        await Shell.RunAsync("{}", ["append", Store, "--type", "marked", "--tag", "order"]);
        var with = await Shell.RunAsync("read", Store, "--tag", "order");

        Assert.Equal(("", "No event has the tag order without a value. Write order:VALUE.\n"), (without.Out, without.Error));
        Assert.Equal((1, ""), (with.Lines.Count, with.Error));
    }

    [Fact]
    public async Task Without_a_store_the_message_says_where_one_was_looked_for()
    {
        var none = await Shell.RunAsync("info");
        var withoutBoth = await Shell.RunAsync("backup");

        Assert.Equal("opossum: No store is named: pass its folder, or set OPOSSUM_STORE. The current folder is none.\nSee: opossum info --help\n",
            none.Error);
        Assert.Contains("'target' missing", withoutBoth.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task In_a_store_only_what_else_is_wrong_is_said()
    {
        using var shell = new Shell { DefaultStore = Store };

        Assert.Equal("opossum: Required argument 'target' missing for command: 'backup'.\nSee: opossum backup --help\n",
            (await shell.RunAsync("backup")).Error);
        Assert.DoesNotContain("store", (await shell.RunAsync("read", "--typ", "x")).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_values_that_an_argument_may_have_are_in_one_line() =>
        Assert.Equal("opossum: Argument 'tcsh' not recognized. Must be one of: 'bash' 'zsh' 'fish' 'pwsh'\nSee: opossum completion --help\n",
            (await Shell.RunAsync("completion", "tcsh")).Error);

    [Fact]
    public async Task Without_the_argument_the_store_is_the_one_that_is_meant()
    {
        using var shell = new Shell { DefaultStore = Store };

        Assert.Equal((await Shell.RunAsync("info", Store)).Out, (await shell.RunAsync("info")).Succeeded().Out);
        Assert.Equal((await Shell.RunAsync("read", Store, "--last", "1")).Out, (await shell.RunAsync("read", "--last", "1")).Succeeded().Out);
        Assert.Equal((await Shell.RunAsync("show", Store, "2")).Out, (await shell.RunAsync("show", "2")).Succeeded().Out);
        Assert.Equal((await Shell.RunAsync("projections", "list", Store)).Out, (await shell.RunAsync("projections", "list")).Out);
        Assert.Equal(ExitCode.NoStore, (await shell.RunAsync("info", shell.PathOf("other"))).ExitCode);
        Assert.Equal(ExitCode.Usage, (await Shell.RunAsync("info")).ExitCode);
    }

    [Fact]
    public async Task The_store_that_is_meant_is_named_by_the_environment_or_is_the_current_folder()
    {
        var other = Shell.PathOf("other");
        (await Shell.RunAsync("new", other)).Succeeded();
        var empty = Directory.CreateDirectory(Shell.PathOf("empty")).FullName;

        Assert.Contains("order-placed", (await CliProcess.RunInAsync(empty, Store, "info")).Succeeded().Out, StringComparison.Ordinal);
        Assert.Contains("order-placed", (await CliProcess.RunInAsync(Store, null, "info")).Succeeded().Out, StringComparison.Ordinal);
        Assert.DoesNotContain("order-placed", (await CliProcess.RunInAsync(Store, other, "info")).Succeeded().Out, StringComparison.Ordinal);
        Assert.Equal(ExitCode.Usage, (await CliProcess.RunInAsync(empty, null, "info")).ExitCode);
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("-h")]
    [InlineData("-?")]
    [InlineData("/?")]
    public async Task Help_lists_the_commands_in_groups(string help)
    {
        var result = (await Shell.RunAsync(help)).Succeeded();

        Assert.Equal(CommandList.Groups.Select(static group => $"{group.Title}:"),
            result.Lines.Where(static line => line.EndsWith(':') && line != "Usage:"));
        Assert.All(CommandList.Groups.SelectMany(static group => group.Commands),
            name => Assert.Contains($"\n  {name} ", result.Out, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Completion_offers_only_what_is_used_everywhere()
    {
        var offered = (await Shell.RunAsync("[suggest:13]", "opossum read ")).Succeeded().Lines;

        Assert.Contains("--help", offered);
        Assert.DoesNotContain(offered, static each => each.Contains('?', StringComparison.Ordinal) || each.StartsWith('/'));
    }

    private static void AddOptions(TheoryData<string, string> data, Command command, string name)
    {
        foreach (var option in command.Options.Where(static each => !IsText(each.ValueType)))
            data.Add(name, option.Name);
        foreach (var inner in command.Subcommands)
            AddOptions(data, inner, $"{name} {inner.Name}");
    }

    private static bool IsText(Type type) => type == typeof(string) || type == typeof(string[]) || type == typeof(void);
}
