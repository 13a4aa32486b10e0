using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Opossum.Diagnostics;

/// <summary>Records a duration when it is disposed; the default value records nothing.</summary>
internal readonly struct MeasuredTime(Histogram<double> duration, string store, long started) : IDisposable
{
    public void Dispose() => duration?.Record(Stopwatch.GetElapsedTime(started).TotalSeconds, Telemetry.Of(store));
}
