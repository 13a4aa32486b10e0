// Imports the history of a git repository into an event store, and answers questions from the store.
//
//   dotnet run --project samples/GitHistory                        imports the repository you stand in, and shows examples
//   dotnet run --project samples/GitHistory -- file README.md      who changed it?
//   dotnet run --project samples/GitHistory -- author "Ada L."     what did she do?

using System.CommandLine;
using System.Diagnostics;
using GitHistory;
using Opossum;
using Spectre.Console;

var repositoryOption =
    new Option<string>("--repo") { Description = "A folder in the repository", HelpName = "path", DefaultValueFactory = _ => ".", Recursive = true };
var storeOption =
    new Option<string?>("--store")
    {
        Description = "The store's folder [default: one of the repository's own among the user's application data]",
        HelpName = "path",
        Recursive = true
    };
storeOption.Validators.Add(result =>
{
    if (result.GetValueOrDefault<string?>() is "")
        result.AddError("--store needs a path.");
});
var commitsOption =
    new Option<uint?>("--commits")
    {
        Description = "Import only this many of the oldest commits; a later import continues after them",
        HelpName = "number"
    };
var pathArgument = new Argument<string>("path") { Description = "As git writes it: from the repository's root, with slashes" };
var authorArgument = new Argument<string>("name") { Description = "Name or e-mail, in full" };
var countArgument = new Argument<uint>("number") { Description = "How many", DefaultValueFactory = _ => 10 };

var root =
    new RootCommand("Imports the history of a git repository into an event store, and answers questions from the store.") { repositoryOption,
        storeOption, commitsOption };
root.SetAction(ImportAndShowAsync);
var import = new Command("import", "Import the commits that are not in the store yet") { commitsOption };
import.SetAction((arguments, cancellationToken) => ImportAsync(arguments, cancellationToken));
var file = new Command("file", "Show who changed a file") { pathArgument };
file.SetAction((arguments, cancellationToken) => AskAsync(arguments,
    answers => answers.ShowFileAsync(arguments.GetRequiredValue(pathArgument), cancellationToken), cancellationToken));
var author = new Command("author", "Show the commits of an author") { authorArgument };
author.SetAction((arguments, cancellationToken) => AskAsync(arguments,
    answers => answers.ShowAuthorAsync(arguments.GetRequiredValue(authorArgument), cancellationToken), cancellationToken));
var last = new Command("last", "Show the commits imported last") { countArgument };
last.SetAction((arguments, cancellationToken) => AskAsync(arguments,
    async answers => (await answers.ShowLastAsync(arguments.GetValue(countArgument), cancellationToken)).Count > 0, cancellationToken));
foreach (var command in new[] { import, file, author, last })
    root.Add(command);

if (Console.IsOutputRedirected)
{
    // A file has no colours and no width.
    AnsiConsole.Profile.Capabilities.Ansi = false;
    AnsiConsole.Profile.Width = 120;
}
try
{
    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (Exception e) when (e is GitException or ForeignStoreException or EventStoreException)
{
    Console.Error.WriteLine(e.Message);
    return 1;
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine("Cancelled. Imported commits stay; the next import continues after them.");
    return 1;
}

async Task<int> ImportAndShowAsync(ParseResult arguments, CancellationToken cancellationToken)
{
    await ImportAsync(arguments, cancellationToken);
    return await AskAsync(arguments, ShowExamplesAsync, cancellationToken);

    async Task<bool> ShowExamplesAsync(Answers answers)
    {
        Console.WriteLine();
        Console.WriteLine("The commits imported last:");
        var commits = await answers.ShowLastAsync(5, cancellationToken);
        if (commits.SelectMany(commit => commit.Changes).FirstOrDefault() is { } change)
            await answers.ShowFileAsync(change.Path, cancellationToken);
        if (commits.Select(commit => commit.AuthorName).FirstOrDefault(name => name.Length > 0) is { } name)
            await answers.ShowAuthorAsync(name, cancellationToken);
        Console.WriteLine("Ask for more with: file PATH, author NAME, last NUMBER.");
        return true;
    }
}

async Task<int> ImportAsync(ParseResult arguments, CancellationToken cancellationToken)
{
    var repository = await GitRepository.FindAsync(arguments.GetRequiredValue(repositoryOption), cancellationToken);
    var head = await repository.GetHeadAsync(cancellationToken);
    var count = await repository.CountAsync(head, cancellationToken);
    var wanted = (int)Math.Min(count, arguments.GetValue(commitsOption) ?? uint.MaxValue);
    var folder = arguments.GetValue(storeOption) ?? repository.DefaultStore();
    Console.WriteLine($"Repository {repository.Folder}: {Answers.Count(count, "commit")}{(await repository.IsShallowAsync(cancellationToken) ? ", and more that a shallow clone does not hold" : "")}");
    Console.WriteLine($"Store      {Path.GetFullPath(folder)}");

    await using var store = await HistoryStore.OpenAsync(folder, repository, cancellationToken);
    var clock = Stopwatch.StartNew();
    var importer = new Importer(store);
    var (missing, present) = await importer.FindMissingAsync(repository.ListAsync(head, cancellationToken).Take(wanted), cancellationToken);
    var (added, addedByOthers) = missing.Count == 0 ? (0, 0) : await AnsiConsole.Progress().AutoClear(true).StartAsync(progress =>
    {
        var bar = progress.AddTask("Importing", maxValue: missing.Count);
        return importer.ImportAsync(repository.LogAsync(missing, cancellationToken), done => bar.Value = done, cancellationToken);
    });
    var seconds = clock.Elapsed.TotalSeconds;
    Console.WriteLine($"{Answers.Count(added, "commit")} added, {present + addedByOthers:N0} present before, in {seconds:N1} "
        + $"s{(added > 0 ? $": {added / seconds:N0} events a second" : "")}");
    return 0;
}

async Task<int> AskAsync(ParseResult arguments, Func<Answers, Task<bool>> ask, CancellationToken cancellationToken)
{
    var folder = arguments.GetValue(storeOption)
        ?? (await GitRepository.FindAsync(arguments.GetRequiredValue(repositoryOption), cancellationToken)).DefaultStore();
    if (!Directory.Exists(folder))
    {
        Console.Error.WriteLine($"There is no store in {folder} yet. Use import first.");
        return 1;
    }
    await using var store = await HistoryStore.OpenForReadingAsync(folder, cancellationToken);
    return await ask(new Answers(store)) ? 0 : 1;
}
