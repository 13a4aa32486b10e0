using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Opossum.Diagnostics;

/// <summary>
/// A histogram or a counter that never throws, whatever its listeners do: the measured work is done, and a failing listener must not undo it.
/// </summary>
/// <remarks>Not generic, and without a delegate: each open of a store in a fresh process compiles its methods.</remarks>
/// <param name="inner">A <see cref="Histogram{T}"/> of <see cref="double"/> or a <see cref="Counter{T}"/> of <see cref="long"/>; null: a listener
/// threw when it was created.</param>
internal sealed class CarefulInstrument(Instrument? inner)
{
    public bool Enabled => inner is { Enabled: true };

    /// <param name="value">A counter takes whole numbers.</param>
    /// <param name="error">The type of the operation's error; null: it succeeded.</param>
    public void Record(double value, string store, Type? error = null)
    {
        if (Enabled)
            Record(value, Telemetry.Of(store, error));
    }

    public void Record(double value, in TagList attributes)
    {
        try
        {
            if (inner is Counter<long> counter)
                counter.Add((long)value, attributes);
            else
                (inner as Histogram<double>)?.Record(value, attributes);
        }
        catch (Exception)
        {
            // A failing listener has nowhere to report its failure.
        }
    }
}
