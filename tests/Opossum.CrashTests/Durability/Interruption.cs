namespace Opossum.Tests.Durability;

/// <summary>How a process is interrupted at an operation.</summary>
internal enum Interruption
{
    /// <summary>The power is cut for all.</summary>
    PowerCut,

    /// <summary>The process ends; others live on.</summary>
    Kill,

    /// <summary>The process stops, loses its lock, and continues after another one has taken over.</summary>
    Halt,
}
