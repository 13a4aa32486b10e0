using Opossum.Following;

namespace Opossum.DependencyInjection;

/// <summary>One opening of a store on demand, and how many use it. Its members change under the gate of <see cref="EventStores"/>.</summary>
/// <param name="creates">Whether the opening may create the store.</param>
internal sealed class LeasedStore(string name, bool creates)
{
    private FileSystemEventStore? store;

    public string Name => name;

    public bool Creates => creates;

    /// <summary>The opening; it fails as the opening of a store does.</summary>
    public Task Opening { get; set; } = Task.CompletedTask;

    /// <summary>The closing; completed while none was started.</summary>
    public Task Closing { get; set; } = Task.CompletedTask;

    public int Uses { get; set; }

    /// <summary>The time stamp of the end of its last use.</summary>
    public long IdleSince { get; set; }

    /// <summary>Whether it is open, and not being closed.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>Whether its next user gets another opening: it closes with its last use.</summary>
    public bool IsRetired { get; set; }

    public FileSystemEventStore Store => store ?? throw new InvalidOperationException($"The store {name} is not open yet.");

    /// <summary>The projections and reactions that have not stopped yet.</summary>
    public IEnumerable<string> Unfinished => store?.Unfinished ?? [];

    /// <summary>The store's projections; null: there are none.</summary>
    public FollowerRunner? Runner { get; private set; }

    /// <summary>The store's reactions; null: there are none, or the host is stopping.</summary>
    public FollowerRunner? Reactions { get; set; }

    public bool IsIdle => IsOpen && Uses == 0;

    public void Open(FileSystemEventStore opened, FollowerRunner? runner) => (store, Runner, IsOpen) = (opened, runner, true);

    /// <summary>Marks it as being closed; false: it is already, or was never opened.</summary>
    public bool TryEnd()
    {
        var wasOpen = IsOpen;
        IsOpen = false;
        return wasOpen;
    }
}
