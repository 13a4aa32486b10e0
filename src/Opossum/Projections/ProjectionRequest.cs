using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>Something asked of a projection's leader, by a file that the leader deletes when it is done.</summary>
/// <param name="Id">Names the file.</param>
/// <param name="Kind">What is asked.</param>
/// <param name="Position">The position to skip; otherwise 0.</param>
/// <param name="Reason">Why it is skipped; otherwise empty.</param>
internal sealed record ProjectionRequest(Guid Id, RequestKind Kind, long Position = 0, string Reason = "")
{
    public void Write(ProjectionHost host, ProjectionLayout layout)
    {
        host.FileSystem.CreateFolder(host.Folder);
        host.FileSystem.CreateFolder(layout.Root);
        host.FileSystem.CreateFolder(layout.Requests);
        ProjectionFile.Write(host.FileSystem, layout.RequestFile(Id), json =>
        {
            json.WriteString("kind"u8, Kind.ToString());
            json.WriteNumber("position"u8, Position);
            json.WriteString("reason"u8, Reason);
        });
    }

    public bool IsOpen(IFileSystem fileSystem, ProjectionLayout layout) => fileSystem.GetKind(layout.RequestFile(Id)) == EntryKind.File;

    /// <summary>All that is asked for at the moment.</summary>
    public static List<ProjectionRequest> List(IFileSystem fileSystem, ProjectionLayout layout)
    {
        var requests = new List<ProjectionRequest>();
        if (fileSystem.GetKind(layout.Requests) != EntryKind.Folder)
            return requests;
        foreach (var name in fileSystem.List(layout.Requests))
        {
            if (ProjectionLayout.TryParseRequest(name, out var id) && ProjectionFile.Read(fileSystem, layout.RequestFile(id)) is { } json
                && Enum.TryParse<RequestKind>(json.GetProperty("kind").GetString(), out var kind))
            {
                requests.Add(new ProjectionRequest(id, kind, json.GetProperty("position").GetInt64(), json.GetProperty("reason").GetString()!));
            }
        }
        return requests;
    }

    public void Close(IFileSystem fileSystem, ProjectionLayout layout) => fileSystem.Delete(layout.RequestFile(Id));
}
