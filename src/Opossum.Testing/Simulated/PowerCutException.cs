using Opossum.FileSystem;

namespace Opossum.Testing.Simulated;

/// <summary>The simulated power is off. Not a <see cref="FileSystemException"/>: a program does not survive to handle it.</summary>
internal sealed class PowerCutException() : Exception(Text)
{
    public const string Text = "The simulated power is off.";
}
