using System.Globalization;
using Opossum.Serialization;
using Opossum.Storage.Log;

namespace Opossum.Storage.Ledger;

/// <summary>Collects the lines after a position into whole groups, as each line states the first and last position of its own.</summary>
internal sealed class LineGroups(long after)
{
    private readonly List<LineAhead> begun = [];
    private readonly List<LineAhead> others = [];
    private CommitRange group;
    private LineAhead? bad;

    /// <summary>The lines of the groups that follow each other without a gap.</summary>
    public List<LineAhead> Whole { get; } = [];

    /// <summary>The checksum that the line of the position itself states; null when there is none.</summary>
    public uint? Before { get; private set; }

    /// <summary>A line that is not the one which was written, although later ones prove that it was.</summary>
    public (string Path, long Position, string Problem)? Damage { get; private set; }

    /// <summary>The whole lines after those groups: where there is damage, the other lines of the damaged group, and all that follow.</summary>
    public IEnumerable<LineAhead> Beyond => begun.Concat(others);

    private long Next => after + Whole.Count + begun.Count + 1;

    /// <summary>Takes the next line of the segments.</summary>
    /// <param name="text">The line, without its line feed.</param>
    public void Take(ReadOnlySpan<byte> text, LineAhead place)
    {
        if (text.IsEmpty)
            return;
        var position = EventLine.PositionOf(text);
        if (position <= after)
        {
            Before = position == after ? EventLine.ChecksumOf(text, after) : null;
            return;
        }
        if (position is not { } stated || ChecksumTrailer.Judge(text) is not null)
        {
            bad ??= place;
            TakeParts(text, place);
            return;
        }
        if (EventFile.Read(text, stated, out var problem, takesUnknown: true) is not { } stored)
        {
            Damage ??= (place.Path, stated, string.Create(CultureInfo.InvariantCulture, $"has a bad line for position {stated}, which {problem}"));
            return;
        }
        if (Damage is null && stated == Next && (begun.Count == 0 ? IsBeginning(stored) : stored.Commit == group))
        {
            group = stored.Commit;
            begun.Add(place with { Position = stated });
            if (stated < group.Last)
                return;
            Whole.AddRange(begun);
            begun.Clear();
            return;
        }
        others.Add(place with { Position = stated });
        // A process that could not write or flush a group ends with it: an event after it proves that it was stored.
        if (Damage is null && stored.Commit.After > after + Whole.Count)
        {
            var lacks = after + Whole.Count + 1;
            Damage = ((bad ?? place).Path, lacks, string.Create(CultureInfo.InvariantCulture,
                $"lacks the event of position {lacks}, or is overwritten or edited there: the event of position {stated} proves it"));
        }
    }

    // The files of a group are written in parts, so the note in the lock file may name a position in the middle of one.
    private bool IsBeginning(StoredEvent stored) =>
        stored.Commit.First == stored.Position || (Whole.Count == 0 && stored.Commit.First <= after);

    // Where a line feed was damaged, two lines are one.
    private void TakeParts(ReadOnlySpan<byte> text, LineAhead place)
    {
        for (var at = 2; at < text.Length && text[at..].IndexOf("{\"position\":"u8) is var found and >= 0; at++)
        {
            at += found;
            if (text[at - 2] != (byte)'}')
                continue;
            if (ChecksumTrailer.Judge(text[..(at - 1)]) is null)
                Take(text[..(at - 1)], place with { Length = at - 1 });
            Take(text[at..], place with { Offset = place.Offset + at, Length = text.Length - at });
            return;
        }
    }
}
