using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Opossum.Diagnostics;

/// <summary>An instrument that never throws, whatever its listeners do: the measured work is done, and a failing listener must not undo it.</summary>
/// <param name="inner">The instrument; null: a listener threw when it was created.</param>
/// <param name="record">Records a value with it.</param>
internal sealed class CarefulInstrument<T>(Instrument? inner, Action<T, TagList> record)
{
    public bool Enabled => inner is { Enabled: true };

    public void Record(T value, in TagList attributes)
    {
        if (!Enabled)
            return;
        try
        {
            record(value, attributes);
        }
        catch (Exception)
        {
            // A failing listener has nowhere to report its failure.
        }
    }
}
