using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Writes the report of <c>opossum check --types</c> as text.</summary>
internal sealed class TypesText(Terminal terminal)
{
    public void Write(TypesReport report)
    {
        terminal.Out.WriteLine(report.IsClean
            ? $"{terminal.Paint(Style.Green, "All can be read")} as objects: {Text.Count(report.Events, "event")}."
            : $"{terminal.Paint(Style.Red, SummaryOf(report))} of {Text.Count(report.Events, "event")}.");
        foreach (var type in report.Types)
            Write(type);
    }

    private void Write(TypesResult type)
    {
        terminal.Out.WriteLine();
        var name = terminal.Paint(Style.Bold, Text.Visible(type.EventType));
        terminal.Out.WriteLine($"{name}, version {type.Version}: {Text.Count(type.Events, "event")}");
        if (type.Failures > 0)
            terminal.Out.WriteLine($"  {Text.Of(type.Failures)} cannot be read, first at {Join(type.FirstFailures)}: {Text.Visible(type.Problem!)}");
        if (type.NotChecked > 0)
        {
            terminal.Out.WriteLine($"  {Text.Of(type.NotChecked)} not checked: the class has version {type.ClassVersion}, and its upcasters are "
                + "registered in code, which this command does not run");
        }
        if (type.LackingTags > 0)
        {
            terminal.Out.WriteLine($"  {Text.Of(type.LackingTags)} lack a tag that the class declares today, so queries by it do not find them; "
                + $"first at {Join(type.FirstLackingTags)}");
        }
    }

    private static string SummaryOf(TypesReport report) => report switch
    {
        { NotChecked: 0 } => $"{Text.Of(report.Failures)} cannot be read as objects",
        { Failures: 0 } => $"{Text.Of(report.NotChecked)} not checked",
        _ => $"{Text.Of(report.Failures)} cannot be read as objects, {Text.Of(report.NotChecked)} not checked,",
    };

    private static string Join(IReadOnlyList<long> positions) => string.Join(", ", positions.Select(Text.Of));
}
