namespace Opossum.Benchmarks.Shares;

/// <summary>
/// Knows which clients have which files open: only a client that is the only one with a file open may keep its bytes and locks local.
/// </summary>
internal sealed class ShareServer
{
    private readonly List<(string Path, ShareClient Client)> handles = [];

    public void Opened(string path, ShareClient client) => handles.Add((path, client));

    public void Closed(string path, ShareClient client) => handles.Remove((path, client));

    /// <summary>Whether another client has the file open.</summary>
    public bool IsShared(string path, ShareClient client) => handles.Exists(handle => handle.Path == path && handle.Client != client);
}
