using Microsoft.Extensions.DependencyInjection;

namespace Opossum.Tests.DependencyInjection;

[EventType("parcel-sent")]
public sealed record ParcelSent(string Town, int Grams);

/// <summary>What was sent to a town.</summary>
public sealed record TownPost(int Parcels, int Grams);

/// <summary>Counts parcels by town.</summary>
public class TownPosts : Projection<TownPost>
{
    public TownPosts()
        : this("town-posts")
    {
    }

    protected TownPosts(string name)
        : base(name) => On<ParcelSent>(e => e.Town, (post, e) => new TownPost((post?.Parcels ?? 0) + 1, (post?.Grams ?? 0) + e.Grams));
}

/// <summary>Counts the same once more.</summary>
public sealed class OtherTownPosts() : TownPosts("other-town-posts");

/// <summary>A projection that needs something of the host.</summary>
public sealed class TaxedTownPosts : Projection<TownPost>
{
    public TaxedTownPosts(Surcharge surcharge)
        : base("taxed-town-posts") => On<ParcelSent>(e => e.Town, (_, e) => new TownPost(1, e.Grams + surcharge.Grams));
}

public sealed record Surcharge(int Grams);

/// <summary>A projection that nothing changes.</summary>
public sealed class EmptyPosts() : Projection<TownPost>("empty-posts");

internal static class Parcels
{
    public static Action<OpossumOptions> In(string folder) => options =>
    {
        options.Path = folder;
        options.EventTypes.Add<ParcelSent>();
    };

    /// <summary>Sends a parcel, and gives its position.</summary>
    public static async Task<long> SendAsync(this IServiceProvider services, string town, int grams = 1, object? store = null)
    {
        var appended =
            await services.GetRequiredKeyedService<IEventStore>(store).AppendAsync(new NewEvent(new ParcelSent(town, grams)),
                cancellationToken: TestContext.Current.CancellationToken);
        return appended.LastPosition;
    }

    /// <summary>What was sent to a town up to a position.</summary>
    public static async Task<TownPost?> PostAsync(this IProjectionStore<TownPost> posts, string town, long position)
    {
        await posts.WaitForAsync(position, TestContext.Current.CancellationToken);
        return await posts.GetAsync(town, TestContext.Current.CancellationToken);
    }
}
