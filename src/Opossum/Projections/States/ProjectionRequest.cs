using System.Text.Json;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>A request to a projection's leader: a file that the leader deletes when the request is done.</summary>
/// <param name="Id">The request's id, which names the file.</param>
/// <param name="Kind">The kind of request.</param>
/// <param name="Position">The position to skip; otherwise 0.</param>
/// <param name="Reason">The reason for a skip; otherwise empty.</param>
internal sealed record ProjectionRequest(Guid Id, RequestKind Kind, long Position = 0, string Reason = "")
{
    /// <summary>A request to skip the event at a position.</summary>
    /// <exception cref="ArgumentException">The reason is empty, too long or not valid Unicode.</exception>
    public static ProjectionRequest Skip(long position, string reason)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(reason);
        NameRules.CheckUnicode(reason, "The reason", nameof(reason));
        if (reason.Length > ProjectionLayout.TextLengthMax)
        {
            throw new ArgumentException($"The reason has {reason.Length} characters; at most {ProjectionLayout.TextLengthMax} are allowed.",
                nameof(reason));
        }

        return new ProjectionRequest(Guid.NewGuid(), RequestKind.Skip, position, reason);
    }

    public void Write(ProjectionHost host, ProjectionLayout layout)
    {
        host.ThrowIfMoved();
        host.FileSystem.CreateOwnFolder(host.Folder);
        Write(host.FileSystem, layout);
    }

    /// <summary>The same where the folder of projections exists.</summary>
    public void Write(IFileSystem fileSystem, ProjectionLayout layout)
    {
        fileSystem.CreateOwnFolder(layout.Root);
        fileSystem.CreateOwnFolder(layout.Requests);
        ProjectionFile.Write(fileSystem, layout.RequestFile(Id), json =>
        {
            json.WriteString("kind"u8, Kind.ToString());
            json.WriteNumber("position"u8, Position);
            json.WriteString("reason"u8, Reason);
        });
    }

    /// <summary>Reads a request; null if its file is missing, which means that it is done.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public static ProjectionRequest? Read(IFileSystem fileSystem, ProjectionLayout layout, Guid id) =>
        ProjectionFile.Read(fileSystem, layout.RequestFile(id), members => Of(id, members));

    /// <summary>The ids of all open requests.</summary>
    public static List<Guid> List(IFileSystem fileSystem, ProjectionLayout layout)
    {
        var requests = new List<Guid>();
        if (fileSystem.GetKind(layout.Requests) != EntryKind.Folder)
            return requests;
        fileSystem.ThrowIfLink(layout.Requests);
        foreach (var name in fileSystem.List(layout.Requests))
        {
            if (ProjectionLayout.TryParseRequest(name, out var id))
                requests.Add(id);
        }
        return requests;
    }

    public void Close(IFileSystem fileSystem, ProjectionLayout layout) => fileSystem.Delete(layout.RequestFile(Id));

    private static ProjectionRequest Of(Guid id, JsonElement members)
    {
        if (!Enum.TryParse<RequestKind>(ProjectionFile.GetText(members, "kind"), out var kind) || !Enum.IsDefined(kind))
            throw new FormatException("Its kind is unknown.");
        return new ProjectionRequest(id, kind, ProjectionFile.GetPosition(members, "position"), ProjectionFile.GetText(members, "reason"));
    }
}
