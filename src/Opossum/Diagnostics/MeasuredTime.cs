using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>Records a duration when it is disposed; the default value records nothing.</summary>
internal readonly struct MeasuredTime(CarefulInstrument duration, string store, long started) : IDisposable
{
    public void Dispose() => duration?.Record(Stopwatch.GetElapsedTime(started).TotalSeconds, store);
}
