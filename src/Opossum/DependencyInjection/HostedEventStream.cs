namespace Opossum.DependencyInjection;

/// <summary>A read of a hosted store: each enumeration reads the opening that is current when it starts, and keeps it open until it ends.</summary>
/// <param name="first">The read of the current opening, which has checked the arguments.</param>
internal sealed class HostedEventStream(Func<(HostedOpening Opening, EventStream Stream)> begin, EventStream first) : EventStream
{
    private volatile EventStream current = first;

    public override long Head => current.Head;

    public override IAsyncEnumerator<SequencedEvent> GetAsyncEnumerator(CancellationToken cancellationToken = default)
    {
        var (opening, stream) = begin();
        current = stream;
        return new Enumerator(opening, stream.GetAsyncEnumerator(cancellationToken));
    }

    private sealed class Enumerator(HostedOpening opening, IAsyncEnumerator<SequencedEvent> events) : IAsyncEnumerator<SequencedEvent>
    {
        private bool isDisposed;

        public SequencedEvent Current => events.Current;

        public ValueTask<bool> MoveNextAsync() => events.MoveNextAsync();

        public async ValueTask DisposeAsync()
        {
            try
            {
                await events.DisposeAsync().ConfigureAwait(false);
            }
            finally
            {
                if (!Interlocked.Exchange(ref isDisposed, true))
                    opening.EndUse();
            }
        }
    }
}
