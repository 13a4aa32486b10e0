using System.Runtime.CompilerServices;
using Opossum;
using Spectre.Console;

namespace GitHistory;

/// <summary>Answers questions about a history from the store only, and prints the answers.</summary>
internal sealed class Answers(IEventStore store)
{
    private const int Shown = 10;

    private static readonly ReadOptions newestFirst = new() { Backwards = true };

    /// <summary>Shows the last imported commits, newest first.</summary>
    public async Task<IReadOnlyList<CommitImported>> ShowLastAsync(long count, CancellationToken cancellationToken)
    {
        var query = Query.For<CommitImported>();
        var commits = new List<CommitImported>();
        await foreach (var commit in ReadAsync(query, newestFirst with { Limit = count }, cancellationToken))
            commits.Add(commit);
        ShowCommits(commits);
        return commits;
    }

    /// <summary>Shows who changed a file, and the latest changes. False when no commit changed it.</summary>
    public async Task<bool> ShowFileAsync(string path, CancellationToken cancellationToken)
    {
        var latest = new List<CommitImported>();
        var authors = new Dictionary<string, (int Commits, DateTimeOffset? Last)>();
        await foreach (var commit in ReadAsync(CommitImported.ByFile(path), newestFirst, cancellationToken))
        {
            if (latest.Count < Shown)
                latest.Add(commit);
            var author = NameOf(commit);
            authors[author] = authors.TryGetValue(author, out var known) ? (known.Commits + 1, known.Last) : (1, commit.AuthoredAt);
        }
        if (latest.Count == 0)
            return Say($"No commit changed {path}. A path is written as git writes it: from the repository's root, with slashes.", found: false);

        Say($"{path} was changed by {Count(authors.Values.Sum(author => author.Commits), "commit")} of {Count(authors.Count, "author")}:");
        var table = NewTable("Commits", "Last", "Author");
        foreach (var (author, (commits, last)) in authors.OrderByDescending(author => author.Value.Commits).Take(Shown))
            table.AddRow(Cell(commits.ToString()), Cell(Date(last)), Cell(author));
        AnsiConsole.Write(table);
        Say("The latest:");
        ShowCommits(latest);
        return true;
    }

    /// <summary>Shows the commits of an author, by name or e-mail. False when there are none.</summary>
    public async Task<bool> ShowAuthorAsync(string nameOrEmail, CancellationToken cancellationToken)
    {
        var latest = new List<CommitImported>();
        var commits = 0;
        await foreach (var commit in ReadAsync(CommitImported.ByAuthor(nameOrEmail), newestFirst, cancellationToken))
        {
            commits++;
            if (latest.Count < Shown)
                latest.Add(commit);
        }
        if (commits == 0)
            return Say($"Nobody whose name or e-mail is exactly {nameOrEmail} made a commit.", found: false);

        Say($"{nameOrEmail} made {Count(commits, "commit")}. The latest:");
        ShowCommits(latest);
        return true;
    }

    public static string Count(long number, string what) => number == 1 ? $"1 {what}" : $"{number:N0} {what}s";

    private async IAsyncEnumerable<CommitImported> ReadAsync(Query query, ReadOptions options,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var e in store.ReadAsync(query, options, cancellationToken))
            yield return (CommitImported)e.Data!;
    }

    private static void ShowCommits(IEnumerable<CommitImported> commits)
    {
        var table = NewTable("Commit", "Date", "Author", "Files", "Subject");
        foreach (var commit in commits)
        {
            table.AddRow(Cell(commit.Sha[..8]), Cell(Date(commit.AuthoredAt)), Cell(NameOf(commit), 20),
                Cell($"{commit.Changes.Count + commit.ChangesNotNamed}"), Cell(commit.Subject));
        }

        AnsiConsole.Write(table);
    }

    private static Table NewTable(params string[] columns)
    {
        var table = new Table().Border(TableBorder.Simple);
        foreach (var column in columns)
            table.AddColumn(column);
        return table;
    }

    // Not markup, because a name may contain brackets.
    private static Text Cell(string text, int lengthMax = 50)
    {
        var readable = Readable(text);
        return new Text(readable.Length <= lengthMax
            ? readable
            : readable[..(char.IsHighSurrogate(readable[lengthMax - 1]) ? lengthMax - 1 : lengthMax)] + "…");
    }

    private static bool Say(string text, bool found = true)
    {
        Console.WriteLine(Readable(text));
        return found;
    }

    // A name may contain terminal escape sequences.
    private static string Readable(string text) => string.Concat(text.Select(letter => char.IsControl(letter) ? '\uFFFD' : letter));

    private static string NameOf(CommitImported commit) => (commit.AuthorName, commit.AuthorEmail) switch
    {
        ("", "") => "(nobody)",
        ("", var email) => email,
        (var name, _) => name,
    };

    private static string Date(DateTimeOffset? date) => date?.ToString("yyyy-MM-dd") ?? "";
}
