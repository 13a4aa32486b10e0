using System.Globalization;
using Opossum.Personal;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;

namespace Opossum.Storage.Transfer;

/// <summary>The ids of a store's events, by which an import knows what it has stored before, and which of their members are personal.</summary>
/// <remarks>
/// Ids need not be unique: a program may have appended an event twice, or another one with its id. So an event of the store stands for at most one
/// line of an export.
/// </remarks>
internal sealed class KnownEvents(EventFiles eventFiles, PersonalHistory personal, RefusedLine refused)
{
    private readonly Dictionary<Guid, int> first = [];
    // Both by position, from 1: the next event with the same id, or 0, and the last export of the input that has the event, or 0.
    private readonly List<int> next = [0];
    private readonly List<int> sources = [0];
    private readonly Dictionary<Guid, int> storing = [];
    // What a decision has put into sources, with what was there.
    private readonly List<(int Position, int Source)> decided = [];

    public int Head => next.Count - 1;

    /// <summary>Takes in the events after <see cref="Head"/>.</summary>
    /// <param name="readLine">Returns the line of a position.</param>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    public void CatchUp(IndexContents contents, Func<long, byte[]> readLine)
    {
        while (Head < contents.Head)
        {
            var position = Head + 1;
            var line = readLine(position);
            var id = EventLine.IdOf(line, position);
            var content = id is null || SealedText.MayBeIn(line)
                ? EventLine.ReadStored(line, position)?.Content ?? ReadFile(position).Content : null;
            if (content is not null)
                personal.Note(content.Type, content.Json, position);
            var known = id ?? content!.Id;
            if (!first.TryAdd(known, position))
                next[LastOf(known)] = position;
            next.Add(0);
            sources.Add(storing.Remove(known, out var source) ? source : 0);
        }
    }

    /// <summary>Begins a decision on what is stored.</summary>
    /// <param name="again">Whether it takes the place of the last one, by which nothing was stored.</param>
    public void Decide(bool again)
    {
        if (again)
        {
            for (var at = decided.Count - 1; at >= 0; at--)
                sources[decided[at].Position] = decided[at].Source;
            storing.Clear();
        }
        decided.Clear();
    }

    /// <summary>Whether the store has the event.</summary>
    /// <exception cref="StoreMaintenanceException">The store has another event with the id, which the input does not have.</exception>
    /// <param name="decides">Whether the answer belongs to a decision, which can be taken back.</param>
    public bool Has(ImportedEvent e, Func<long, byte[]> readLine, bool decides = false)
    {
        var (same, other) = (0, 0);
        for (var position = first.GetValueOrDefault(e.Content.Id); position != 0; position = next[position])
        {
            if (sources[position] == e.Source)
                continue;
            var stored = EventLine.ReadStored(readLine(position), position) ?? ReadFile(position);
            if (!stored.Content.IsSameAs(e.Content))
                other = position;
            else if (same == 0 || stored.TimestampTicks == e.TimestampTicks)
                same = position;
        }
        if (same > 0)
        {
            if (decides)
                decided.Add((same, sources[same]));
            sources[same] = e.Source;
        }
        if (same > 0 || other == 0)
            return same > 0;
        throw refused.OfId(e, string.Create(CultureInfo.InvariantCulture, $"the store has at position {other}"));
    }

    /// <summary>Says that the store is getting an event that it lacks.</summary>
    public void IsStoring(ImportedEvent e) => storing[e.Content.Id] = e.Source;

    private int LastOf(Guid id)
    {
        var position = first[id];
        while (next[position] != 0)
            position = next[position];
        return position;
    }

    private StoredEvent ReadFile(long position) => eventFiles.ReadOrThrow(position, "Nothing was imported");
}
