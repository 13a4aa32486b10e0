using System.Data.Common;
using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>What keeps some work from being done, from a first failure to the next success.</summary>
internal sealed class Trouble(FollowerHost host)
{
    // Work that fails at another place at each try is not logged each time.
    private const int KnownMax = 100;

    private readonly HashSet<string> known = new(StringComparer.Ordinal);

    /// <summary>The last failure; null: there is none.</summary>
    public FollowerProblem? Problem { get; private set; }

    /// <summary>Notes a failure.</summary>
    /// <param name="error">The failure in words; null: its message.</param>
    /// <returns>Whether it is to be logged: no failure since the last success was of this type, at this file or position.</returns>
    public bool Note(Exception failure, string? error = null)
    {
        Problem = new FollowerProblem { Error = error ?? failure.Message, Since = Problem?.Since ?? host.Clock.GetUtcNow() };
        return known.Count < KnownMax && known.Add(IdentityOf(failure));
    }

    public void End()
    {
        Problem = null;
        known.Clear();
    }

    // Not the message, which may have a time or a number of tries.
    private string IdentityOf(Exception failure) => $"{failure.GetType()} {PlaceOf(failure)}"
        + (failure.InnerException is { } inner ? $" {IdentityOf(inner)}" : "");

    private string? PlaceOf(Exception failure) => failure switch
    {
        FileSystemException e => $"{e.Error} {KindOf(e.Path)}",
        StoreIOException { Path: { } path } => KindOf(path),
        DamagedFileException e => KindOf(e.Path),
        PersonalDataException e => e.Path,
        StoreDamagedException e => $"{e.Path} {e.Position}",
        EventDataException e => $"{e.Position}",
        DbException e => $"{e.ErrorCode} {e.SqlState}",
        _ => null,
    };

    // Each term makes a folder of another number, and each request and state has a file of its own.
    private string KindOf(string path) => !path.StartsWith(host.Folder, StringComparison.Ordinal) ? path
        : string.Concat(FilePath.FolderOf(path)!.Where(static each => !char.IsAsciiDigit(each))) + Path.GetExtension(path);
}
