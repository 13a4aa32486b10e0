using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Following;

/// <summary>A request to a leader: a file that the leader deletes when the request is done.</summary>
/// <param name="Id">The request's id, which names the file.</param>
/// <param name="Position">The position that it is about; 0 if it is about none.</param>
/// <param name="Reason">The reason for a skip; otherwise empty.</param>
internal sealed record LeaderRequest(Guid Id, RequestKind Kind, long Position = 0, string Reason = "")
{
    /// <summary>The last position that was known when the file was read.</summary>
    public long Head { get; init; }

    /// <summary>A request to skip the event at a position.</summary>
    /// <exception cref="ArgumentException">The reason is empty, too long or not valid Unicode.</exception>
    public static LeaderRequest Skip(long position, string reason)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(reason);
        NameRules.CheckUnicode(reason, "The reason", nameof(reason));
        if (reason.Length > LedFolder.TextLengthMax)
        {
            throw new ArgumentException($"The reason has {reason.Length} characters; at most {LedFolder.TextLengthMax} are allowed.",
                nameof(reason));
        }

        return new LeaderRequest(Guid.NewGuid(), RequestKind.Skip, position, reason);
    }

    public void Write(FollowerHost host, LedFolder layout)
    {
        host.ThrowIfMoved();
        host.FileSystem.CreateOwnFolderDurably(host.Folder);
        Write(host.FileSystem, layout);
    }

    /// <summary>The same where the folder that holds the leader's folder exists.</summary>
    public void Write(IFileSystem fileSystem, LedFolder layout)
    {
        // Before the request: if this fails, nothing is requested.
        fileSystem.CreateOwnFolderDurably(layout.Root);
        fileSystem.CreateOwnFolderDurably(layout.Requests);
        CheckedFile.Write(fileSystem, layout.RequestFile(Id), json =>
        {
            json.WriteString("kind"u8, Kind.ToString());
            json.WriteNumber("position"u8, Position);
            json.WriteString("reason"u8, Reason);
        });
    }

    public static bool IsOpen(IFileSystem fileSystem, LedFolder layout, Guid id) =>
        fileSystem.GetKind(layout.RequestFile(id)) != EntryKind.Missing && fileSystem.GetKind(layout.DoneFile(id)) == EntryKind.Missing;

    /// <summary>Reads a request; null if its file is missing or was removed, which means that it is done.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static LeaderRequest? Read(IFileSystem fileSystem, LedFolder layout, Guid id) =>
        CheckedFile.Read(fileSystem, layout.RequestFile(id), LedFolder.FileBytesMax, bytes => DurableFile.IsRemoved(bytes)
            ? (null, null)
            : (JsonFile.ParseChecked(bytes, members => Of(id, members), out var problem), problem));

    public static List<Guid> List(IFileSystem fileSystem, LedFolder layout)
    {
        var requests = fileSystem.ListOwn(layout.Requests).Select(LedFolder.RequestOf).OfType<Guid>().ToList();
        if (requests.Count > 0)
            requests.RemoveAll(ListDone(fileSystem, layout).Contains);
        return requests;
    }

    /// <summary>The ids of requests that are done, and whose files may be there all the same.</summary>
    public static HashSet<Guid> ListDone(IFileSystem fileSystem, LedFolder layout) =>
        [.. fileSystem.List(layout.Root).Select(LedFolder.DoneOf).OfType<Guid>()];

    private static LeaderRequest Of(Guid id, JsonElement members)
    {
        if (!Enum.TryParse<RequestKind>(CheckedFile.GetText(members, "kind"), out var kind) || !Enum.IsDefined(kind))
            throw new FormatException("Its kind is unknown.");
        return new LeaderRequest(id, kind, CheckedFile.GetPosition(members, "position"), CheckedFile.GetText(members, "reason"));
    }
}
