using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

public abstract partial class EventStoreContract
{
    [Fact]
    public async Task An_append_larger_than_a_group_is_one_append()
    {
        // A disk takes long to flush as many files; the rule of a large append is checked on it too.
        LongTests.SkipUnless(!place.Root.StartsWith(TestFolders.OnDisk, StringComparison.Ordinal));
        var result = await store.AppendAsync(Many(1_100, "t", "k:1"));

        Assert.Equal(new AppendResult { FirstPosition = 1, LastPosition = 1_100 }, result);
        Assert.Equal(1_100, place.Event(1).Commit.Count);
    }

    [Fact]
    public async Task An_append_sees_the_clock_it_was_given()
    {
        var time = new DateTimeOffset(2031, 2, 3, 4, 5, 6, TimeSpan.Zero).AddTicks(7);
        var other = Open(options => options.TimeProvider = new FixedTime(time));
        await other.AppendAsync([New("a")]);

        Assert.Equal(time, (await store.ReadAllAsync())[0].Timestamp);
    }

    private sealed class FixedTime(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }
}
