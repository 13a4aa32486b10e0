using System.Globalization;
using Opossum;

namespace AssemblyLine;

/// <summary>The totals of all machines in one shift.</summary>
public sealed record ShiftTotal(string Shift)
{
    public int Parts { get; init; }

    public int Scrap { get; init; }

    public int Orders { get; init; }

    public int Faults { get; init; }

    /// <summary>
    /// Returns the shift of a time, eight hours each in UTC: <c>2026-11-21-early</c>, <c>-late</c>, and <c>-night</c>, which has the date
    /// of the day it began on.
    /// </summary>
    public static string ShiftOf(DateTimeOffset time)
    {
        var sinceSix = time.ToUniversalTime().AddHours(-6);
        var name = sinceSix.Hour switch { < 8 => "early", < 16 => "late", _ => "night" };
        return string.Create(CultureInfo.InvariantCulture, $"{sinceSix:yyyy-MM-dd}-{name}");
    }

    public static ShiftTotal Apply(ShiftTotal? before, SequencedEvent e)
    {
        var shift = before ?? new ShiftTotal(ShiftOf(e.Timestamp));
        return e.Data switch
        {
            UnitPassed => shift with { Parts = shift.Parts + 1 },
            UnitRejected => shift with { Scrap = shift.Scrap + 1 },
            OrderCompleted => shift with { Orders = shift.Orders + 1 },
            FaultRaised => shift with { Faults = shift.Faults + 1 },
            _ => shift,
        };
    }
}

/// <summary>The read model of the shifts. An event's timestamp determines its shift, so the handlers take the whole event.</summary>
public sealed class ShiftTotals : Projection<ShiftTotal>
{
    public ShiftTotals()
        : base("shift-totals")
    {
        Follow("unit-passed");
        Follow("unit-rejected");
        Follow("order-completed");
        Follow("fault-raised");
    }

    private void Follow(string eventType) => On(eventType, e => [ShiftTotal.ShiftOf(e.Timestamp)], ShiftTotal.Apply);
}
