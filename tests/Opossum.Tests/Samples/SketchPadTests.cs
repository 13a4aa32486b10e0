using Opossum.Testing;
using SketchPad;

namespace Opossum.Tests.Samples;

/// <summary>The sample SketchPad: undo and redo by events, and a window whose thread is never blocked.</summary>
public sealed class SketchPadTests
{
    // A loop that is blocked would be waited for without end.
    private const int HangMilliseconds = 60_000;

    private static readonly EventTypeRegistry types = new EventTypeRegistry()
        .Add<ShapeAdded>().Add<ShapeMoved>().Add<ShapeRemoved>().Add<ChangeUndone>().Add<ChangeRedone>();

    [Fact]
    public async Task Undo_takes_back_the_last_change_and_redo_makes_it_again_until_there_is_a_new_one()
    {
        await using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });
        var pad = new Pad(store, "s");
        await pad.AddAsync("a", 1, 1);
        await pad.AddAsync("b", 2, 2);
        await pad.MoveAsync("a", 3, 3);
        await pad.RemoveAsync("b");
        Assert.Equal("a:3,3", await ShapesAsync(store));

        await pad.UndoAsync();
        await pad.UndoAsync();
        Assert.Equal("a:1,1 b:2,2", await ShapesAsync(store));
        await pad.RedoAsync();
        Assert.Equal("a:3,3 b:2,2", await ShapesAsync(store));
        await pad.AddAsync("c", 4, 4);
        await pad.RedoAsync();
        Assert.Equal("a:3,3 b:2,2 c:4,4", await ShapesAsync(store));
        foreach (var shapes in new[] { "a:3,3 b:2,2", "a:1,1 b:2,2", "a:1,1", "", "" })
        {
            await pad.UndoAsync();
            Assert.Equal(shapes, await ShapesAsync(store));
        }
        Assert.Equal(12, await store.GetHeadAsync());
    }

    [Fact]
    public async Task Two_windows_that_undo_at_the_same_moment_undo_two_changes()
    {
        var report = await Race.Explore(
                new RaceDecision("one undoes", store => new Pad(store, "s").UndoAsync()),
                new RaceDecision("another undoes", store => new Pad(store, "s").UndoAsync()))
            .With(types)
            .Given(new ShapeAdded("s", "a", 1, 1), new ShapeAdded("s", "b", 2, 2), new ShapeAdded("s", "c", 3, 3))
            .Always("no change is undone twice", events =>
                events.Select(e => e.Data).OfType<ChangeUndone>().Select(e => e.Change) is var undone
                && undone.Distinct().Count() == undone.Count())
            .RunAsync();

        Assert.NotEqual(0, report.Interleavings);
    }

    [Fact(Timeout = HangMilliseconds)]
    public async Task The_window_handles_messages_while_an_append_waits_and_shows_changes_on_its_thread()
    {
        using var place = StorePlace.InFolder();
        await using var store = place.Open(static options => options.EventTypes = types);
        await Task.Run(() => MessageLoop.Run(async loop =>
        {
            var (pad, window) = (new Pad(store, "s"), new Window(loop, "s"));
            using var closing = new CancellationTokenSource();
            var showing = window.ShowAsync(store, closing.Token);
            Task adding;
            using (var other = place.OtherLock())
            using (other.Acquire(TimeSpan.FromMinutes(1)))
            {
                adding = pad.AddAsync("a", 1, 1);
                var before = loop.Handled;
                for (var clicks = 0; clicks < 10; clicks++)
                    await Task.Yield();
                // The last of them is being handled.
                Assert.InRange(loop.Handled - before, 9, int.MaxValue);
                Assert.False(adding.IsCompleted);
            }
            await adding;
            await window.WaitForAsync(1);
            Assert.Equal("a at 1,1", window.ToString());
            await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(() => window.Shapes));

            await closing.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => showing);
            loop.VerifyAccess();
        }));
    }

    private static async Task<string> ShapesAsync(IEventStore store)
    {
        var (sketch, _) = await store.BuildDecisionModelAsync(Sketch.Of("s"));
        return string.Join(' ', sketch.Shapes.Select(static shape => $"{shape.Key}:{shape.Value.X},{shape.Value.Y}"));
    }
}
