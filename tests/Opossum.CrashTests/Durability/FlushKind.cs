using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>All flushes of one kind of the files or folders at one place.</summary>
internal sealed record FlushKind(VolumeKind Kind, OperationKind Operation, string Place);
