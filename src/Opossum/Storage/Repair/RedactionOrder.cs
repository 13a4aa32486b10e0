using Opossum.Serialization;

namespace Opossum.Storage.Repair;

/// <summary>What a caller wants to be redacted, checked as far as that is possible without the store.</summary>
internal sealed record RedactionOrder
{
    /// <exception cref="ArgumentException">There is no position, no member or no reason, or one of them is not allowed.</exception>
    public RedactionOrder(IEnumerable<long> positions, IEnumerable<string> members, string reason)
    {
        ArgumentNullException.ThrowIfNull(positions);
        ArgumentNullException.ThrowIfNull(members);
        NameRules.CheckReason(reason, nameof(reason));
        Positions = [.. positions];
        Members = [.. members.Distinct(StringComparer.Ordinal).Select(static member => MemberPath.Parse(member, nameof(members)))];
        Reason = reason;
        if (Positions.Count == 0)
            throw new ArgumentException("There are no positions; name the events to redact.", nameof(positions));
        if (Members.Count == 0)
            throw new ArgumentException("There are no members; name what to replace by null, such as email.", nameof(members));
        ArgumentOutOfRangeException.ThrowIfLessThan(Positions.Min, 1, nameof(positions));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Positions.Max, StoreLayout.PositionMax, nameof(positions));
    }

    public SortedSet<long> Positions { get; }

    public IReadOnlyList<MemberPath> Members { get; }

    public string Reason { get; }
}
