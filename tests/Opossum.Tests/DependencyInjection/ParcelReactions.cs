using System.Collections.Concurrent;
using System.Threading.Channels;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.Tests.DependencyInjection;

/// <summary>What the reactions of a host have done, in order.</summary>
public sealed class Deliveries
{
    private readonly Channel<string> notes = Channel.CreateUnbounded<string>();

    public ConcurrentQueue<string> All { get; } = new();

    public void Note(string text)
    {
        All.Enqueue(text);
        notes.Writer.TryWrite(text);
    }

    public ValueTask<string> NextAsync() => notes.Reader.ReadAsync(TestContext.Current.CancellationToken);
}

/// <summary>A service of a scope: it notes when its scope ends.</summary>
public sealed class Van(Deliveries deliveries) : IAsyncDisposable
{
    public async ValueTask DisposeAsync()
    {
        await Task.Yield();
        deliveries.Note("van returned");
    }
}

/// <summary>Notes each parcel.</summary>
public class Notices : Reaction
{
    public Notices(Deliveries deliveries)
        : this(deliveries, "notices", ReactionStart.Head)
    {
    }

    protected Notices(Deliveries deliveries, string name, ReactionStart start)
        : base(name)
    {
        StartFrom(start);
        On<ParcelSent>((e, _, _) =>
        {
            deliveries.Note($"{Name}: {e.Town}");
            return Task.CompletedTask;
        });
    }
}

/// <summary>Notes each parcel once more.</summary>
public sealed class OtherNotices(Deliveries deliveries) : Notices(deliveries, "other-notices", ReactionStart.Beginning);

/// <summary>Takes a van for each parcel that is not light.</summary>
public sealed class Drives : Reaction
{
    public Drives(Deliveries deliveries)
        : base("drives")
    {
        StartFrom(ReactionStart.Beginning);
        On<ParcelSent>((e, context, _) =>
        {
            if (e.Grams > 1)
                deliveries.Note(ReferenceEquals(VanOf(context), VanOf(context)) ? $"one van to {e.Town}" : $"two vans to {e.Town}");
            else
                deliveries.Note($"on foot to {e.Town}");
            return Task.CompletedTask;
        });

        static Van VanOf(ReactionContext context) => context.Services.GetRequiredService<Van>();
    }
}

/// <summary>Asks for a service of a scope where there is none.</summary>
public sealed class OneVanForEver : Reaction
{
    public OneVanForEver(Van van)
        : base("one-van")
    {
        StartFrom(ReactionStart.Head);
        On<ParcelSent>((_, _, _) => van.DisposeAsync().AsTask());
    }
}

/// <summary>Has one service with a key for all parcels.</summary>
public sealed class TheRedVan : Reaction
{
    public TheRedVan([FromKeyedServices("red")] Van van)
        : base("the-red-van")
    {
        StartFrom(ReactionStart.Head);
        On<ParcelSent>((_, _, _) => van.DisposeAsync().AsTask());
    }
}

/// <summary>Sends an empty parcel back, by the injected store, when the state of a projection has the parcel.</summary>
public sealed class Returns : Reaction
{
    public Returns(IEventStore store, IProjectionStore<TownPost> posts, Deliveries deliveries)
        : base("returns")
    {
        StartFrom(ReactionStart.Beginning);
        On<ParcelSent>(async (e, context, cancellation) =>
        {
            await posts.WaitForAsync(context.Event.Position, cancellation);
            if (e.Grams > 0)
                await store.AppendAsync(new NewEvent(new ParcelSent(e.Town, 0)), cancellationToken: cancellation);
            deliveries.Note($"{(await posts.GetAsync(e.Town, cancellation))!.Grams} g at {e.Town}");
        });
    }
}

/// <summary>A handler that ends when it is cancelled.</summary>
public sealed class LongDrives : Reaction
{
    public LongDrives(Deliveries deliveries)
        : base("long-drives")
    {
        StartFrom(ReactionStart.Beginning);
        On<ParcelSent>(async (_, context, cancellation) =>
        {
            deliveries.Note($"attempt {context.Attempt}");
            try
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, cancellation);
            }
            finally
            {
                deliveries.Note("turned back");
            }
        });
    }
}

/// <summary>A handler that does what it is given, and cares for no cancellation.</summary>
public sealed class Careless : Reaction
{
    public Careless(Deliveries deliveries, Func<ReactionContext, Task> handle)
        : base("careless")
    {
        StartFrom(ReactionStart.Beginning);
        On<ParcelSent>((_, context, cancellation) =>
        {
            cancellation.UnsafeRegister(_ => deliveries.Note("cancelled"), null);
            deliveries.Note("begun");
            return handle(context);
        });
    }
}

/// <summary>A reaction without a start.</summary>
public sealed class Startless : Reaction
{
    public Startless()
        : base("startless") => On<ParcelSent>((_, _, _) => Task.CompletedTask);
}

/// <summary>A reaction whose handler fails.</summary>
public sealed class Broken : Reaction
{
    public Broken()
        : base("broken")
    {
        StartFrom(ReactionStart.Beginning);
        On<ParcelSent>((_, _, _) => throw new InvalidOperationException("no"));
    }
}
