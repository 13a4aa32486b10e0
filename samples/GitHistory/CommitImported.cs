using System.Text.Json.Serialization;
using Opossum;

namespace GitHistory;

/// <summary>
/// A commit of a git repository and the files it changed. Its timestamp in the store is that of the import, so it carries git's date too.
/// </summary>
[EventType(TypeName)]
public sealed record CommitImported
{
    public const string TypeName = "commit-imported";

    [Tag("sha")]
    public required string Sha { get; init; }

    public required IReadOnlyList<string> Parents { get; init; }

    public required string AuthorName { get; init; }

    public required string AuthorEmail { get; init; }

    /// <summary>Git's date of the commit; null when it is invalid.</summary>
    public required DateTimeOffset? AuthoredAt { get; init; }

    public required string Message { get; init; }

    public required IReadOnlyList<FileChange> Changes { get; init; }

    /// <summary>The number of changed files that are not named; 0 except for commits of some hundred thousand files.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public int ChangesNotNamed { get; init; }

    [JsonIgnore]
    public string Subject => Message.TrimStart().Split('\n', 2)[0];

    /// <summary>Name and e-mail are both tags with the key <c>author</c>: a query can use either, and one may be missing.</summary>
    [JsonIgnore]
    [Tag("author")]
    public IEnumerable<string> AuthorTags => new[] { AuthorName, AuthorEmail }.Where(text => text.Length > 0).Select(TagText.Of);

    /// <summary>A renamed file can be queried by its new and its old name.</summary>
    [JsonIgnore]
    [Tag("file")]
    public IEnumerable<string> FileTags => Changes.SelectMany(change => new[] { change.Path, change.OldPath }).OfType<string>().Select(TagText.Of);

    public static Query BySha(IEnumerable<string> shas) =>
        Query.FromItems([.. shas.Select(sha => new QueryItem { Types = [TypeName], Tags = [new Tag("sha", sha)] })]);

    public static Query ByAuthor(string nameOrEmail) => Query.For<CommitImported>(new Tag("author", TagText.Of(nameOrEmail)));

    public static Query ByFile(string path) => Query.For<CommitImported>(new Tag("file", TagText.Of(path)));
}

/// <summary>A change to a file in a commit.</summary>
/// <param name="Status">Git's letter: A added, M modified, D deleted, R renamed, T type changed.</param>
/// <param name="Path">The file's path from the repository's root, with slashes.</param>
/// <param name="OldPath">Its previous path if it was renamed.</param>
public sealed record FileChange(
    string Status,
    string Path,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? OldPath = null);
