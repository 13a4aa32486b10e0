using System.Runtime.ExceptionServices;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Storage.Reading;

/// <summary>A read of a file system store: each enumeration takes its own view and reads in batches on demand.</summary>
/// <param name="resolve">Replaces the query's pseudonyms; null: it has none.</param>
internal sealed class StoreEventStream(EventReader reader, UnknownEventTypes unknownTypes, Query query, Func<Query, Query>? resolve,
    ReadOptions options, bool takesRoundTrips, CancellationToken readToken)
    : EventStream
{
    private long head = -1;

    public override long Head
    {
        get
        {
            var known = Volatile.Read(ref head);
            return known >= 0
                ? known
                : throw new InvalidOperationException("The head is known only after reading has begun: read the first event before asking "
                + "for the head.");
        }
    }

    public override IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new Enumerator(this, cancellationToken);

    private sealed class Enumerator(StoreEventStream stream, CancellationToken cancellationToken) : IAsyncEnumerator<SequencedEvent>
    {
        private const int FirstBatch = 16;
        private const int BatchMax = 1024;

        // A batch is held in memory; after this many bytes it takes no further event.
        private const long BatchBytesMax = 8 * 1024 * 1024;

        private readonly bool backwards = stream.Options.Backwards;
        private IndexView? view;
        private MeasuredRead? measured;
        private PositionCursor? cursor;
        private long lowest;
        private long remaining = stream.Options.Limit ?? long.MaxValue;
        private LinePlaces? lines;
        private LinePlace[] places = [];
        private SequencedEvent?[] events = [];
        private ExceptionDispatchInfo? failure;
        private int count;
        private int next;

        public SequencedEvent Current { get; private set; } = null!;

        public ValueTask<bool> MoveNextAsync()
        {
            if (cancellationToken.IsCancellationRequested)
                return ValueTask.FromCanceled<bool>(cancellationToken);
            if (stream.ReadToken.IsCancellationRequested)
                return ValueTask.FromCanceled<bool>(stream.ReadToken);
            if (next < count)
            {
                Take();
                return new ValueTask<bool>(true);
            }
            return NextBatchAsync();
        }

        public ValueTask DisposeAsync()
        {
            count = 0;
            next = 0;
            remaining = 0;
            measured?.End(error: null);
            return default;
        }

        // Reads on the pool where the wait may be long (a share) or the caller's thread has other work (a synchronization context).
        private ValueTask<bool> NextBatchAsync()
        {
            if (stream.TakesRoundTrips || SynchronizationContext.Current is not null)
                return new ValueTask<bool>(Task.Run(NextBatch, cancellationToken));
            try
            {
                return new ValueTask<bool>(NextBatch());
            }
            catch (Exception e)
            {
                return ValueTask.FromException<bool>(e);
            }
        }

        private bool NextBatch()
        {
            if (view is null)
                measured = MeasuredRead.Begin(stream.Reader.Store);
            try
            {
                if ((measured is null ? ReadBatch() : measured.Batch(ReadBatch)) == 0)
                    return false;
            }
            catch (Exception e)
            {
                var error = Capture(e);
                // Order matters: kept before it is thrown, or a later call would go past events not returned.
                if (view is not null)
                    failure ??= error;
                error.Throw();
            }
            Take();
            return true;
        }

        private int ReadBatch()
        {
            Begin();
            if (count == places.Length && places.Length < BatchMax)
            {
                places = new LinePlace[Math.Min(places.Length * 4, BatchMax)];
                events = new SequencedEvent?[places.Length];
            }
            count = 0;
            next = 0;
            failure?.Throw();
            var wanted = 0;
            try
            {
                FindPlaces(ref wanted);
            }
            catch (Exception e) when (wanted > 0)
            {
                // Events before that come first.
                failure = Capture(e);
            }
            if (wanted == 0)
                return 0;
            // The reader takes ascending positions in either direction.
            if (backwards)
                Array.Reverse(places, 0, wanted);
            var read = wanted;
            try
            {
                stream.Reader.Read(view!, places, wanted, events);
            }
            catch (Exception e) when (wanted > 1 && e is StoreDamagedException or StoreIOException)
            {
                // Events before one that cannot be read come first, then the exception.
                read = ReadUpToFailure(wanted);
            }
            if (backwards)
                Array.Reverse(events, 0, wanted);
            if (read == 0)
                failure?.Throw();
            return count = read;
        }

        private void FindPlaces(ref int wanted)
        {
            var lastStart = -1L;
            for (var bytes = 0L; bytes < BatchBytesMax && wanted < places.Length && remaining > 0;)
            {
                var position = cursor!.Next();
                // Only when reading backwards; forwards the cursor ends by itself.
                if (position == PositionCursor.None || position < lowest)
                {
                    remaining = 0;
                    break;
                }
                var place = lines!.Of(position);
                places[wanted++] = place;
                // Neighbours may be in one place.
                bytes += place.Start == lastStart ? 0 : place.Length;
                lastStart = place.Start;
                remaining--;
            }
        }

        private ExceptionDispatchInfo Capture(Exception e) =>
            ExceptionDispatchInfo.Capture(e is FileSystemException unreadable ? stream.Reader.Unreadable(unreadable) : e);

        private int ReadUpToFailure(int wanted)
        {
            var one = new SequencedEvent?[1];
            for (var read = 0; read < wanted; read++)
            {
                var at = backwards ? wanted - 1 - read : read;
                try
                {
                    stream.Reader.Read(view!, [places[at]], 1, one);
                }
                catch (Exception e) when (e is StoreDamagedException or StoreIOException)
                {
                    failure = ExceptionDispatchInfo.Capture(e);
                    return read;
                }
                events[at] = one[0];
            }
            return wanted;
        }

        private void Begin()
        {
            if (view is not null)
                return;
            view = stream.Reader.TakeView();
            var head = view.Contents.Head;
            Volatile.Write(ref stream.head, head);
            var highest = (int)Math.Min(stream.Options.UpTo ?? head, head);
            lowest = Math.Min(stream.Options.After, int.MaxValue - 1) + 1;
            // Order matters: resolved before the head is known, the query could miss an event with a pseudonym.
            var query = stream.Resolve?.Invoke(stream.Query) ?? stream.Query;
            stream.UnknownTypes.Note(query, view.Contents);
            lines = new LinePlaces(view.Contents, stream.Reader.Layout);
            cursor = view.Contents.Find(query, highest, backwards ? highest : (int)lowest, backwards);
            // A round trip to a server costs as much as many events.
            var first = stream.TakesRoundTrips ? Math.Clamp(highest, 1, BatchMax) : FirstBatch;
            (places, events) = (new LinePlace[first], new SequencedEvent?[first]);
        }

        private void Take()
        {
            Current = events[next]!;
            events[next++] = null;
        }
    }

    private EventReader Reader => reader;

    private UnknownEventTypes UnknownTypes => unknownTypes;

    private Query Query => query;

    private Func<Query, Query>? Resolve => resolve;

    private ReadOptions Options => options;

    private bool TakesRoundTrips => takesRoundTrips;

    private CancellationToken ReadToken => readToken;
}
