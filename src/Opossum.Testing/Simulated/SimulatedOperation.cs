using System.Globalization;

namespace Opossum.Testing.Simulated;

/// <summary>One operation, as traces print it, hooks receive it and faults select it.</summary>
internal readonly record struct SimulatedOperation(SimulatedFileSystem Client, OperationKind Kind, string Path, long Offset, long Count, string? To)
{
    /// <summary>Whether it changes, flushes, locks or unlocks something.</summary>
    public bool Changes => Kind >= OperationKind.CreateFolder;

    public bool IsFlush => Kind is OperationKind.Flush or OperationKind.FlushRange or OperationKind.FlushFolder or OperationKind.FlushWhole;

    public override string ToString() => Kind switch
    {
        OperationKind.Read or OperationKind.Prefetch or OperationKind.ReadPastCache or OperationKind.Write =>
            string.Create(CultureInfo.InvariantCulture, $"{Kind} {Path} {Count} @{Offset}"),
        OperationKind.SetLength => string.Create(CultureInfo.InvariantCulture, $"{Kind} {Path} {Count}"),
        OperationKind.Lock or OperationKind.Unlock => string.Create(CultureInfo.InvariantCulture, $"{Kind} {Path} @{Offset}"),
        OperationKind.Move => $"{Kind} {Path} -> {To}",
        _ => $"{Kind} {Path}",
    };
}
