namespace Opossum.AspNetCoreTests.Waiting;

/// <summary>Holds a projection back; open from the start.</summary>
public sealed class Gate : IDisposable
{
    public ManualResetEventSlim Opened { get; } = new(true);

    public void Dispose() => Opened.Dispose();
}
