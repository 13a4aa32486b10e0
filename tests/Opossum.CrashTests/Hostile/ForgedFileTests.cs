using System.Buffers.Binary;
using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage;
using Opossum.Storage.Index;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Hostile;

/// <summary>Files by somebody who knows the formats: their checksums fit, and what they say is impossible.</summary>
public sealed class ForgedFileTests : IDisposable
{
    private static readonly RunSettings runs = new() { Length = 4, Fan = 2, LengthMax = 16, InBackground = false };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task A_line_of_the_journal_that_is_no_event_is_named()
    {
        place.FilesBehind = new FilesBehindSettings { FilledAhead = 2_048 };
        var store = place.Open(static options =>
            (options.UseJournal, options.TimeProvider) = (true, new Opossum.Testing.TestClock()));
        await store.AppendAsync([New("a"), New("b")]);
        using var left = StorePlace.On(place.Disk!.Copy());
        var journal = left.Layout.Segment(0);
        Forge(left, journal, "\"data\":{}", "\"data\":xx");

        Assert.Equal(journal, Assert.Throws<StoreDamagedException>(() => left.Open()).Path);
        Assert.Contains(left.Check().Findings, each =>
            each.Kind == FindingKind.BadSegment && each.Message.Contains(journal, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("{\"m\":\"1\"}", "[\"m\",\"1\"]")]
    [InlineData("{\"m\":\"1\"}", "{\"m\":123}")]
    [InlineData("{\"m\":\"1\"}", "{\"m\":\"\u0001\"}")]
    public async Task Metadata_of_a_line_that_no_event_has_are_not_believed(string text, string other)
    {
        var metadata = new Dictionary<string, string> { ["m"] = "1" };
        await place.Open().AppendAsync([New("a") with { Metadata = metadata }, New("b")]);
        place.CloseStores();
        Forge(place, place.Layout.Segment(0), text, other);

        foreach (var readOnly in (bool[])[true, false])
        {
            var events = await place.Open(options => options.ReadOnly = readOnly).ReadAllAsync();
            Assert.Equal(metadata, events[0].Metadata);
            place.CloseStores();
        }
    }

    [Fact]
    public async Task A_time_of_a_line_that_no_clock_shows_is_not_believed()
    {
        await place.Open().AppendAsync([New("a"), New("b")]);
        var expected = (await place.Open().ReadAllAsync())[0].Timestamp;
        place.CloseStores();
        var path = place.Layout.Segment(0);
        var text = Encoding.UTF8.GetString(place.Bytes(path)).Replace($"{expected:yyyy-MM}", "9999-99", StringComparison.Ordinal);
        place.Put(path, ForgedFile.Of(place.Layout, path, Encoding.UTF8.GetBytes(text)));

        Assert.Equal(expected, (await place.Open().ReadAllAsync())[0].Timestamp);
    }

    // Each field of the first page, one after the other.
    [Fact]
    public async Task Numbers_in_the_first_page_of_a_run_that_no_run_has_are_not_believed()
    {
        const int fieldsStart = 28;
        var path = await FillRunsAsync();
        var whole = place.Bytes(path);
        for (var field = 0; field < 16; field++)
        {
            foreach (var number in (long[])[-1, 0, 1L << 30, int.MaxValue, 1L << 37, long.MaxValue])
            {
                var bytes = whole.ToArray();
                BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(fieldsStart + field * sizeof(long)), number);
                await AssertForgedRunAsync(path, bytes);
            }
        }
    }

    // Every page with the highest numbers there can be.
    [Fact]
    public async Task Pages_of_a_run_that_contradict_each_other_are_named_or_not_believed()
    {
        var path = await FillRunsAsync();
        var whole = place.Bytes(path);
        for (var page = 1; page < whole.Length / RunPage.Length; page++)
        {
            foreach (var octet in (byte[])[0, 1, 0x7F, 0xFF])
            {
                var bytes = whole.ToArray();
                bytes.AsSpan(page * RunPage.Length, RunPage.ContentLength).Fill(octet);
                await AssertForgedRunAsync(path, bytes);
            }
        }
    }

    private async Task<string> FillRunsAsync()
    {
        place.Runs = runs;
        var store = place.Open();
        for (var position = 1; position <= 15; position++)
            await store.AppendAsync([New($"t{position % 3}", $"k:{position % 2}")]);
        store.MakeRuns();
        place.CloseStores();
        return place.Names(place.Layout.Index).Where(static name => name.EndsWith(".run", StringComparison.Ordinal))
            .Select(name => FilePath.Join(place.Layout.Index, name)).Order(StringComparer.Ordinal).First();
    }

    private async Task AssertForgedRunAsync(string path, byte[] bytes)
    {
        place.Put(path, ForgedFile.Of(place.Layout, path, bytes));
        foreach (var readOnly in (bool[])[true, false])
        {
            try
            {
                var store = place.Open(options => options.ReadOnly = readOnly);
                Assert.Equal(15, (await store.ReadAllAsync()).Count);
                foreach (var query in (Query[])[Tagged("k:1"), Query.FromEventTypes("t1"), Tagged("k:7")])
                    _ = await store.ReadAllAsync(query);
                _ = await store.GetStatusAsync(withSizes: true);
                if (!readOnly)
                    store.MakeRuns();
            }
            catch (StoreIOException e)
            {
                Assert.Contains(path, e.Message, StringComparison.Ordinal);
            }
            place.CloseStores();
        }
    }

    private static void Forge(StorePlace place, string path, string text, string other)
    {
        var bytes = place.Bytes(path);
        var at = bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(text));
        Assert.True(at >= 0);
        Encoding.UTF8.GetBytes(other).CopyTo(bytes, at);
        place.Put(path, ForgedFile.Of(place.Layout, path, bytes));
    }
}
