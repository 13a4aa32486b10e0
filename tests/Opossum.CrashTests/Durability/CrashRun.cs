using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>Something that a power cut may interrupt, on a disk of its own.</summary>
/// <param name="Disk">The disk.</param>
/// <param name="Play">What is interrupted.</param>
/// <param name="CheckAfter">Throws when what the power cut leaves breaks a promise.</param>
internal sealed record CrashRun(SimulatedDisk Disk, Action Play, Action<PowerCut> CheckAfter);
