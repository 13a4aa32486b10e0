using System.Reflection;
using Microsoft.Extensions.Logging;

namespace Opossum.DocTests;

/// <summary>docs/troubleshooting.md has every exception, outcome, finding and log message of the library.</summary>
public sealed class TroubleshootingTests
{
    private static readonly Assembly library = typeof(IEventStore).Assembly;
    private static readonly string[] lines = File.ReadAllLines(Path.Combine(Repository.Root, "docs", "troubleshooting.md"));

    [Fact]
    public void Every_exception_is_there()
    {
        var exceptions = library.GetExportedTypes().Where(type => type.IsSubclassOf(typeof(EventStoreException))).Select(type => type.Name);

        Assert.Equal("", string.Join(", ", exceptions.Where(IsMissing)));
    }

    [Fact]
    public void Every_outcome_and_finding_is_there() =>
        Assert.Equal("", string.Join(", ", Enum.GetNames<AppendOutcome>().Concat(Enum.GetNames<StoreFindingKind>()).Where(IsMissing)));

    [Fact]
    public void Every_log_message_is_there_with_its_id()
    {
        var messages =
            from type in library.GetTypes()
            from method in type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)
            let message = method.GetCustomAttribute<LoggerMessageAttribute>()
            where message is not null && !Array.Exists(lines, line => IsRowOf(line, message))
            select $"{message.EventId}: {message.Message}";

        Assert.Equal("", string.Join('\n', messages));
    }

    // The row has the beginning of the message; … stands for the values in it.
    private static bool IsRowOf(string line, LoggerMessageAttribute message)
    {
        var cells = line.Split('|', StringSplitOptions.TrimEntries);
        return cells is ["", var id, var beginning, { Length: > 0 }, ""]
            && id == $"{message.EventId}"
            && System.Text.RegularExpressions.Regex.Replace(message.Message, @"\{\w+\}", "…").StartsWith(beginning, StringComparison.Ordinal);
    }

    private static bool IsMissing(string name) => !Array.Exists(lines, line => line.Contains($"`{name}`", StringComparison.Ordinal));
}
