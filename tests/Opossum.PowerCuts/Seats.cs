namespace Opossum.PowerCuts;

/// <summary>What the victim's projection makes of its events: an event left out, or counted twice, shows in the state.</summary>
internal sealed class Seats : Projection<Seat>
{
    public const string Key = "seat";
    public const string TakenType = "taken";
    public const string FreedType = "freed";

    public Seats()
        : base("seats")
    {
        On(TakenType, SeatsOf, (seat, e) => Next(seat, e.Position));
        On(FreedType, SeatsOf, static (_, _) => null);
        TagBy(static seat => [TagOf(seat)]);
    }

    /// <summary>By what a seat is found.</summary>
    public static Tag TagOf(Seat seat) => new("taken", seat.Taken > 3 ? "often" : "seldom");

    public static Dictionary<string, Seat> Fold(IEnumerable<SequencedEvent> events)
    {
        var seats = new Dictionary<string, Seat>();
        foreach (var e in events)
        {
            foreach (var seat in SeatsOf(e))
            {
                if (e.Type == TakenType)
                    seats[seat] = Next(seats.GetValueOrDefault(seat), e.Position);
                else
                    seats.Remove(seat);
            }
        }
        return seats;
    }

    private static Seat Next(Seat? seat, long position) => new((seat?.Taken ?? 0) + 1, unchecked((seat?.Trace ?? 17) * 31 + position));

    private static IEnumerable<string> SeatsOf(SequencedEvent e) => e.Tags.Where(static tag => tag.Key == Key).Select(static tag => tag.Value);
}
