using System.CommandLine;

namespace Opossum.Cli.Commands;

/// <summary>The parts of a tag rule on the command line.</summary>
internal sealed class TagRuleArguments
{
    private readonly Argument<string> type = new("type") { Description = "The events' type" };
    private readonly Argument<string> member = new("member")
    {
        Description = "The path of the member in the events' data: customerId, customer.id, lines[].sku",
    };
    private readonly Argument<string> key = new("key") { Description = "The key of the tags" };

    public IReadOnlyList<Argument> All => [type, member, key];

    /// <exception cref="CliException">They are not allowed.</exception>
    public TagRule Of(ParseResult arguments)
    {
        try
        {
            return new TagRule(arguments.GetRequiredValue(type), arguments.GetRequiredValue(member), arguments.GetRequiredValue(key));
        }
        catch (ArgumentException e)
        {
            throw new CliException(ExitCode.Usage, e.Message, e);
        }
    }
}
