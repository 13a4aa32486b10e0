using System.CommandLine;
using System.Text.Json.Serialization.Metadata;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command about one store, whose report is text or JSON.</summary>
internal abstract class StoreCommand : CliCommand
{
    private readonly Argument<string> store = new("store")
    {
        Description = "The store's folder. Unless given: the one that OPOSSUM_STORE names, or the current folder if it is a store",
    };
    private readonly Option<bool> json = new("--json") { Description = "Write JSON instead of text" };

    protected StoreCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
    {
        Add(store);
        Add(json);
    }

    /// <summary>The path as the user typed it.</summary>
    protected string StoreOf(ParseResult arguments) => arguments.GetRequiredValue(store);

    protected bool WantsJson(ParseResult arguments) => arguments.GetValue(json);

    /// <summary>Opens the store for reading only: it is not locked, changed or created.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    protected Task<FileSystemEventStore> OpenForReadingAsync(ParseResult arguments, CancellationToken cancellationToken) =>
        StorePath.OpenForReadingAsync(StoreOf(arguments), Terminal, cancellationToken);

    /// <summary>The same, with the keys of personal data.</summary>
    protected Task<FileSystemEventStore> OpenForReadingAsync(ParseResult arguments, PersonalDataOptions keys, CancellationToken cancellationToken) =>
        StorePath.OpenForReadingAsync(StoreOf(arguments), Terminal, new EventTypeRegistry(), cancellationToken, keys);

    /// <summary>Writes a report as JSON, or as text by the given method.</summary>
    /// <param name="arguments">The command line.</param>
    /// <param name="report">The report.</param>
    /// <param name="typeInfo">Finds the report's JSON type. Only when it is needed: making it takes longer than a short command.</param>
    /// <param name="writeText">Writes the report as text.</param>
    protected void Write<TReport>(ParseResult arguments, TReport report, Func<ReportJson, JsonTypeInfo<TReport>> typeInfo,
        Action<TReport> writeText)
    {
        if (WantsJson(arguments))
            Terminal.WriteJson(report, typeInfo(ReportJson.Default));
        else
            writeText(report);
    }
}
