using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>The simulated process was killed. Not a <see cref="FileSystemException"/>: a program does not survive to handle it.</summary>
internal sealed class ProcessKilledException() : Exception("The simulated process was killed.");
