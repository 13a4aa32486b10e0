using System.Buffers;
using Opossum.FileSystem;
using Opossum.Storage.Index;
using Opossum.Storage.Log;

namespace Opossum.Storage.Reading;

/// <summary>
/// Finds an event by its id in the text of the log. No index has ids: an id of version 7 states when it was made, and
/// most events are stored in the order in which their ids were made. So the place is guessed by the ids of other events,
/// and the text there is searched.
/// </summary>
internal sealed class IdSearch
{
    // So many lines are searched sooner than another one is looked at: twice as many take one read.
    private const int Few = 32;

    // Of several threads and machines, events are stored in another order than their ids were made in.
    private const int Near = 1_000;

    // A small event's id is within them; their number is not seen in the time of a read.
    private const int StartBytes = 512;

    private const int ReadBytesMax = 64 * 1024;
    private const int ReadLinesMax = 256;

    private readonly EventReader reader;
    private readonly IndexView view;
    private readonly LinePlaces places;
    private readonly Guid id;
    private readonly byte[] idText = new byte[36];
    private readonly LinePlace[] place = new LinePlace[1];
    private readonly SequencedEvent?[] read = new SequencedEvent?[1];
    private StoreDamagedException? damage;

    public IdSearch(EventReader reader, IndexView view, Guid id)
    {
        (this.reader, this.view, this.id) = (reader, view, id);
        places = new LinePlaces(view.Contents, reader.Layout);
        id.TryFormat(idText, out _);
    }

    private int Head => view.Contents.Head;

    /// <summary>
    /// Looks where the event is if it was stored soon after its id was made; null: it is not there, or an event beside it cannot be read.
    /// </summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    public SequencedEvent? FindNear()
    {
        try
        {
            return EventIds.TimeOf(id) is { } made && Head > 0 ? Guard(() => FindNear(made)) : null;
        }
        catch (StoreDamagedException)
        {
            return null;
        }
    }

    /// <summary>Looks at all events, the newest first; null when none has the id.</summary>
    /// <exception cref="StoreIOException">The files cannot be read.</exception>
    /// <exception cref="StoreDamagedException">An event cannot be read, and none of the others has the id.</exception>
    public SequencedEvent? FindAnywhere(CancellationToken cancellationToken) => Guard(() =>
    {
        for (var last = Head; last > 0; last -= Near)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (Search(last - Near + 1, last, isExact: true) is { } found)
                return found;
        }
        return damage is null ? null : throw damage;
    });

    private SequencedEvent? Guard(Func<SequencedEvent?> find)
    {
        try
        {
            return find();
        }
        catch (FileSystemException e)
        {
            throw reader.Unreadable(e);
        }
    }

    private SequencedEvent? FindNear(long made)
    {
        var (before, beforeTime) = (1, TimeAt(1, out _));
        var (after, afterTime) = (Head, TimeAt(Head, out var last));
        after = last;
        if (made <= beforeTime || made > afterTime || after - before <= Few)
            return SearchAround(made <= beforeTime ? 1 : made > afterTime ? Head : before, made);
        var looksEarly = true;
        for (var halves = false; after - before > Few; halves = !halves)
        {
            // In turns: a guess by the times is near at an even rate, and a half is never far off.
            var share = halves ? 0.5 : (double)(made - beforeTime) / (afterTime - beforeTime);
            var guess = before + (int)((after - before) * share);
            var time = TimeAt(Math.Clamp(guess, before + RunHeader.LinesInGroup, after - 1), out var position);
            if (looksEarly && IsLikelyNear(time))
            {
                looksEarly = false;
                if (Search(position - Few, position + Few, isExact: false) is { } found)
                    return found;
            }
            if (time < made)
                (before, beforeTime) = (position, time);
            else
                (after, afterTime) = (position, time);
        }
        return SearchAround(before, made);

        // By the rate of the events between those that are known, and where few share a millisecond.
        bool IsLikelyNear(long time) =>
            (Math.Abs(time - made) + 1) * (after - before) <= Few * (afterTime - beforeTime);
    }

    // The last event at the position, or one after it, is the first whose id was made in the millisecond.
    private SequencedEvent? SearchAround(int position, long made)
    {
        if ((Search(position, position + 2 * Few, isExact: false)
            ?? Search(position - 2 * Few, position - 1, isExact: false)) is { } found)
        {
            return found;
        }
        for (var first = position + 2 * Few + 1; first <= Head; first += ReadLinesMax)
        {
            if (Search(first, first + ReadLinesMax - 1, isExact: false) is { } later)
                return later;
            // More may have been made in one millisecond.
            if (first > position + Near && TimeAt(Math.Min(first + ReadLinesMax, Head), out _) > made)
                break;
        }
        return Search(position - Near, position - 2 * Few - 1, isExact: false);
    }

    // When the id of an event was made, or else the event was stored. Lines of groups are looked at where one begins.
    private long TimeAt(int wanted, out int position)
    {
        var line = places.Of(wanted);
        position = wanted - line.Before;
        byte[] buffer = [];
        line = line with { Length = Math.Min(line.Length, StartBytes) };
        var text = reader.ReadText(view, line, line, ref buffer);
        var stated = EventLine.IdStatedBy(text);
        ArrayPool<byte>.Shared.Return(buffer);
        var (id, ticks) = stated ?? (Read(position) is var e ? (e.Id, e.Timestamp.UtcTicks) : default);
        return EventIds.TimeOf(id) ?? (ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond;
    }

    // Exact: an event whose line is damaged is read from its file.
    private SequencedEvent? Search(int first, int last, bool isExact)
    {
        last = Math.Min(last, Head);
        for (first = Math.Max(first, 1); first <= last;)
        {
            var (from, to) = (places.Of(first), places.Of(EndOfRead(first, last)));
            byte[] buffer = [];
            var text = reader.ReadText(view, from, to, ref buffer);
            try
            {
                if ((isExact || text.IndexOf(idText) >= 0)
                    && SearchLines(text, first - from.Before, to.Position, isExact) is { } found)
                {
                    return found;
                }
            }
            finally
            {
                ArrayPool<byte>.Shared.Return(buffer);
            }
            first = to.Position + 1;
        }
        return null;
    }

    // Of one folder, and not too long.
    private int EndOfRead(int first, int last)
    {
        var end = reader.Layout.LastOf(reader.Layout.ShardOf(first));
        last = (int)Math.Min(Math.Min(last, first + ReadLinesMax - 1), end);
        var start = places.Of(first).Start;
        while (last > first && places.Of(last).End - start > ReadBytesMax)
            last = first + (last - first) / 2;
        return last;
    }

    private SequencedEvent? SearchLines(ReadOnlySpan<byte> text, int position, int last, bool isExact)
    {
        for (; position <= last; position++)
        {
            var length = text.IndexOf(EventLines.LineEnd);
            var line = length < 0 ? default : text[..length];
            text = length < 0 ? default : text[(length + 1)..];
            // The id may also be in the data or the metadata of another event.
            var isCandidate = line.IndexOf(idText) >= 0 || (isExact && EventLine.ChecksumOf(line, position) is null);
            if (isCandidate && (isExact ? TryRead(position) : Read(position)) is { } e && e.Id == id)
                return e;
        }
        return null;
    }

    // Null: it is damaged, and may be the event or not.
    private SequencedEvent? TryRead(int position)
    {
        try
        {
            return Read(position);
        }
        catch (StoreDamagedException e)
        {
            damage ??= e;
            return null;
        }
    }

    private SequencedEvent Read(int position)
    {
        place[0] = places.Of(position);
        reader.Read(view, place, 1, read);
        return read[0]!;
    }
}
