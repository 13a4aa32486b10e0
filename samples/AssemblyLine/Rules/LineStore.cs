using Opossum;

namespace AssemblyLine;

/// <summary>Opens the store, in the same way for the control room and every machine.</summary>
public static class LineStore
{
    public static Task<FileSystemEventStore> OpenAsync(string path, CancellationToken cancellationToken = default) =>
        FileSystemEventStore.OpenAsync(Options(path), cancellationToken);

    public static OpossumOptions Options(string path)
    {
        var options = new OpossumOptions { Path = path };
        options.EventTypes
            .Add<OrderReleased>().Add<OrderClaimed>().Add<OrderCompleted>()
            .Add<OperatorSignedIn>().Add<OperatorSignedOut>()
            .Add<CycleStarted>().Add<CycleCompleted>()
            .Add<FaultRaised>().Add<FaultCleared>();
        return options;
    }
}
