using Opossum.Following;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Following;

/// <summary>On a share, this machine's view of the store may be older than a file of another machine that it reads.</summary>
public sealed class LateViewTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Event_that_this_machine_does_not_see_yet_is_in_the_store(bool readOnly)
    {
        using var place = StorePlace.On(VolumeKind.Nfs);
        var store = place.Open();
        await store.AppendAsync([Events.New("a")]);
        var late = place.Open(place.Disk!.Attach(TimeSpan.FromMinutes(1)), options => options.ReadOnly = readOnly);
        Assert.Single(await late.ReadAllAsync());
        await store.AppendAsync([Events.New("a")]);
        var last = (await store.ReadAllAsync())[1];
        Assert.Null(await StoreEvents.FindIdAsync(late, 2, TestContext.Current.CancellationToken));
        var host = late.ReactionHost(new ReactionOptions());

        Assert.True(await StoreEvents.HasAsync(host, new EventAt(2, last.Id), TestContext.Current.CancellationToken));
        Assert.False(await StoreEvents.HasAsync(host, new EventAt(2, Guid.NewGuid()), TestContext.Current.CancellationToken));
        Assert.False(await StoreEvents.HasAsync(host, new EventAt(3, last.Id), TestContext.Current.CancellationToken));
    }
}
