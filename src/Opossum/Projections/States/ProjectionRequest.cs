using System.Text.Json;
using Opossum.FileSystem;

namespace Opossum.Projections.States;

/// <summary>Something asked of a projection's leader, by a file that the leader deletes when it is done.</summary>
/// <param name="Id">Names the file.</param>
/// <param name="Kind">What is asked.</param>
/// <param name="Position">The position to skip; otherwise 0.</param>
/// <param name="Reason">Why it is skipped; otherwise empty.</param>
internal sealed record ProjectionRequest(Guid Id, RequestKind Kind, long Position = 0, string Reason = "")
{
    public void Write(ProjectionHost host, ProjectionLayout layout)
    {
        host.ThrowIfMoved();
        host.FileSystem.CreateOwnFolder(host.Folder);
        host.FileSystem.CreateOwnFolder(layout.Root);
        host.FileSystem.CreateOwnFolder(layout.Requests);
        ProjectionFile.Write(host.FileSystem, layout.RequestFile(Id), json =>
        {
            json.WriteString("kind"u8, Kind.ToString());
            json.WriteNumber("position"u8, Position);
            json.WriteString("reason"u8, Reason);
        });
    }

    /// <summary>Reads one; null when it is not there: then it is done.</summary>
    /// <exception cref="DamagedFileException">It is damaged.</exception>
    public static ProjectionRequest? Read(IFileSystem fileSystem, ProjectionLayout layout, Guid id) => ProjectionFile.Read(fileSystem, layout.RequestFile(id), members => Of(id, members));

    /// <summary>All that is asked for at the moment.</summary>
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
            throw new FormatException("It asks for nothing that is known.");
        return new ProjectionRequest(id, kind, ProjectionFile.GetPosition(members, "position"), ProjectionFile.GetText(members, "reason"));
    }
}
