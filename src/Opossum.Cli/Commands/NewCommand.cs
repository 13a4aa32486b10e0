using System.CommandLine;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Creates an empty store.</summary>
internal sealed class NewCommand(Terminal terminal)
    : ChangeCommand(terminal, "new", "Create an empty store in a folder that is empty or does not exist",
        "opossum new sales",
        "opossum new sales --dry-run")
{
    private const string LockFile = ".store.lock";

    public override string WhenCancelled => "Cancelled. If the store was being created, opossum info STORE shows it soon.";

    protected override async Task<ExitCode> RunAsync(ParseResult arguments, CancellationToken cancellationToken)
    {
        var path = StoreOf(arguments);
        ThrowUnlessFree(path);
        if (IsDryRun(arguments))
            return Write(arguments, new NewReport(Path.GetFullPath(path), null, IsDryRun: true), WriteText);
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions { Path = path }, cancellationToken).ConfigureAwait(false);
        if (!store.IsNew)
            throw IsThere(path);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        return WriteDone(arguments, new NewReport(status.Path, status.Id, IsDryRun: false), WriteText);
    }

    private static void ThrowUnlessFree(string path)
    {
        if (path.Length == 0)
            throw new CliException(ExitCode.Usage, "The path of the store is empty. Pass the folder in which to create it.");
        if (File.Exists(path))
            throw new CliException(ExitCode.Failed, $"{path} is a file, but a store is a folder. Choose another path.");
        // Another process that creates the store at the same time begins with its lock file. Its other files are judged below.
        var found = !Directory.Exists(path) ? null
            : Directory.EnumerateFileSystemEntries(path).FirstOrDefault(static entry => Path.GetFileName(entry) != LockFile);
        if (StorePath.IsStore(path))
            throw IsThere(path);
        if (found is not null)
        {
            throw new CliException(ExitCode.Failed,
                $"{path} is not empty: it holds {Path.GetFileName(found)}. Choose an empty folder, or one that does not exist yet.");
        }
    }

    private static CliException IsThere(string path) =>
        new(ExitCode.Failed, $"{path} is a store already. Nothing was changed. To look at it: opossum info {path}");

    private void WriteText(NewReport report) =>
        Terminal.Out.WriteLine(report.IsDryRun ? $"Would create a store in {report.Path}." : $"Created a store in {report.Path}.");
}
