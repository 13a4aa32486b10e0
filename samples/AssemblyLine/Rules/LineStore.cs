using System.Reflection;
using Opossum;

namespace AssemblyLine;

/// <summary>Opens the store, in the same way for the control room and every machine.</summary>
public static class LineStore
{
    private static readonly Type[] types =
    [
        typeof(OrderReleased), typeof(OrderClaimed), typeof(OrderStarted), typeof(BatchCompleted), typeof(OrderCompleted),
        typeof(MachineStarted), typeof(MachinePaused), typeof(MachineResumed),
        typeof(MaterialLoaded), typeof(ParameterAdjusted), typeof(ToolChanged),
        typeof(OperatorSignedIn), typeof(OperatorSignedOut), typeof(ShiftHandover),
        typeof(CycleStarted), typeof(CycleCompleted), typeof(UnitPassed), typeof(UnitRejected),
        typeof(FaultRaised), typeof(FaultCleared),
    ];

    private static readonly string[] names = [.. types.Select(type => type.GetCustomAttribute<EventTypeAttribute>()!.Name)];

    /// <summary>Finds out whether a store holds other events than those of an assembly line. It only reads.</summary>
    /// <returns>What is wrong, in words; null: there is no store yet, or it is one of an assembly line.</returns>
    public static async Task<string?> FindStrangerAsync(string path, CancellationToken cancellationToken = default)
    {
        if (!Directory.Exists(path) || !Directory.EnumerateFileSystemEntries(path).Any())
            return null;
        var options = Options(path);
        options.ReadOnly = true;
        await using var store = await FileSystemEventStore.OpenAsync(options, cancellationToken);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken);
        var stranger = status.EventTypes.Select(type => type.EventType).FirstOrDefault(type => !names.Contains(type));
        return stranger is null
            ? null
            : $"The store in {path} is not that of an assembly line: it holds events of the type \"{stranger}\". Name another folder with --store.";
    }

    public static Task<FileSystemEventStore> OpenAsync(string path, CancellationToken cancellationToken = default) =>
        FileSystemEventStore.OpenAsync(Options(path), cancellationToken);

    public static OpossumOptions Options(string path)
    {
        var options = new OpossumOptions { Path = path };
        foreach (var type in types)
            options.EventTypes.Add(type);
        return options;
    }
}
