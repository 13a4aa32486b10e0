using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>A command about one store, whose report is text or JSON.</summary>
internal abstract class StoreCommand : CliCommand
{
    private readonly Argument<string> store = new("store")
    {
        Description = "The store's folder. Unless given: the one that OPOSSUM_STORE names, or the current folder if it is a store",
    };

    protected StoreCommand(Terminal terminal, string name, string description, params IReadOnlyList<string> examples)
        : base(terminal, name, description, examples)
        => Add(store, Json);

    /// <summary>The path as the user typed it.</summary>
    protected string StoreOf(ParseResult arguments) => arguments.GetRequiredValue(store);

    /// <summary>The same, where a store is.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    protected string ExistingStoreOf(ParseResult arguments)
    {
        StorePath.ThrowIfNoStore(StoreOf(arguments));
        return StoreOf(arguments);
    }

    /// <summary>Opens the store for reading only: it is not locked, changed or created.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    protected Task<FileSystemEventStore> OpenForReadingAsync(ParseResult arguments, CancellationToken cancellationToken,
        PersonalDataOptions? keys = null, EventTypeRegistry? types = null) => StorePath.OpenAsync(new OpossumOptions
        {
            Path = StoreOf(arguments),
            ReadOnly = true,
            PersonalData = keys ?? new PersonalDataOptions(),
            EventTypes = types ?? new EventTypeRegistry(),
        }, Terminal, cancellationToken);

    /// <summary>Opens the store as an app does, and does not create one.</summary>
    /// <exception cref="CliException">There is no store at the path.</exception>
    protected Task<FileSystemEventStore> OpenForWritingAsync(ParseResult arguments, CancellationToken cancellationToken,
        PersonalDataOptions? keys = null) => StorePath.OpenAsync(new OpossumOptions
        {
            Path = StoreOf(arguments),
            CreateIfMissing = false,
            PersonalData = keys ?? new PersonalDataOptions(),
        }, Terminal, cancellationToken);
}
