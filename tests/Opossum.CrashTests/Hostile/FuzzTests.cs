using System.Buffers.Binary;
using System.Text;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Definitions;
using Opossum.Storage.Folders;
using Opossum.Storage.Index;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;
using Opossum.Testing.Simulated;
using Opossum.Tests.Damage;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Whatever bytes a reader is given, it ends, throws nothing that it does not announce, and takes memory in proportion to them.
/// </summary>
public sealed class FuzzTests(ITestOutputHelper output)
{
    private readonly Fuzzing fuzzing = new(output);

    private static readonly StoredEvent[] events = Events();
    private static readonly DecoderWithoutKeys decoder = new(new EventSerializer(new EventTypeRegistry(), 1_000));

    [Fact]
    public void Event_files() => fuzzing.Run(1_000_000, [.. events.Select(EventFile.TextOf)], (bytes, mutator) =>
    {
        if (mutator.Half && bytes.Length > 36)
            bytes = Forgery.Of(bytes.AsSpan(0, bytes.Length - 36));
        StoredEvent? stored = null;
        string? problem = null;
        Allocations.AssertBounded(bytes.Length, 40, () => stored = EventFile.Read(bytes, 1 + mutator.Next(events.Length), out problem));
        Assert.True(stored is null == problem is not null);
        if (stored is null)
            return false;
        // What is taken for an event is one: it is written and read again without a loss.
        Assert.Equal(stored.Content.Json, JsonText.Normalize(stored.Content.Json));
        var again = EventFile.Read(EventFile.TextOf(stored), stored.Position, out _)!;
        Assert.Equal((stored.Position, stored.Commit, stored.TimestampTicks, stored.Content.Type, stored.Content.Version, stored.Content.Id),
            (again.Position, again.Commit, again.TimestampTicks, again.Content.Type, again.Content.Version, again.Content.Id));
        Assert.Equal(stored.Content.Tags, again.Content.Tags);
        Assert.Equal(stored.Condition?.ToText(), again.Condition?.ToText());
        return true;
    }, share: 0.25);

    [Fact]
    public void Conditions_in_lines() => fuzzing.Run(1_000_000, [.. events.Select(EventFile.TextOf)], (bytes, mutator) =>
    {
        bytes = Forgery.Of(CanonicalText.Of(bytes.AsSpan(0, Math.Max(0, bytes.Length - 36))));
        var position = 1 + mutator.Next(events.Length);
        if (EventLine.Read(CanonicalText.Of(bytes), position, decoder, takesUnknown: false) is not { } e)
            return false;
        try
        {
            return e.Condition is not null;
        }
        catch (EventDataException)
        {
            return false;
        }
    }, share: 0.25);

    [Fact]
    public void Frames() => fuzzing.Run(1_000_000, FramesOf(events), (bytes, mutator) =>
    {
        var chain = 0u;
        for (var place = 0; mutator.Half && bytes.Length - place > IndexFrame.HeaderLength;)
        {
            var length = Math.Min(BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(place)), bytes.Length - place - IndexFrame.HeaderLength);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(place), (uint)length);
            chain = IndexFrame.ChecksumOf(chain, bytes.AsSpan(place + IndexFrame.HeaderLength, (int)length));
            BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(place + 4), chain);
            place += IndexFrame.HeaderLength + (int)length;
        }
        var contents = new IndexContents();
        // An index that holds anything has its first segments.
        Allocations.AssertBounded(bytes.Length + 16 * 1024, 64, () =>
        {
            Assert.InRange(contents.Add(bytes, bytes.Length, new IndexFrame()), 0, bytes.Length);
            foreach (var query in (Query[])[Query.All, Query.FromEventTypes("t1"), Query.FromTags(new Tag("k", "1"))])
            {
                var cursor = contents.Find(query, contents.Head, 1, backwards: false);
                for (var reads = 0; cursor.Next() != PositionCursor.None; reads++)
                    Assert.True(reads <= 10 * bytes.Length);
                Assert.InRange(contents.FirstMatch(query, 0), 0, contents.Head);
            }
        });
        return contents.Head > 0;
    }, share: 0.25);

    [Fact]
    public void Lines_of_events()
    {
        fuzzing.Run(1_000_000, [.. events.Select(static stored => CanonicalText.Of(EventFile.TextOf(stored)))], (bytes, mutator) =>
        {
            if (mutator.Half)
                bytes = ForgedFile.Line(bytes);
            var position = 1 + mutator.Next(events.Length);
            SequencedEvent? e = null;
            Allocations.AssertBounded(bytes.Length, 40, () =>
            {
                e = EventLine.Read(bytes, position, decoder: null, takesUnknown: false);
                _ = EventLine.ChecksumOf(bytes, position);
                _ = EventLine.ReadStored(bytes, position);
            });
            return e is not null;
        }, share: 0.25);
    }

    [Fact]
    public void Store_files_and_lock_files()
    {
        byte[][] corpus =
        [
            [
                .. "{\n  \"format\": 1,\n  \"id\": \"065cb841-c3b3-4831-9a5b-617441b028b2\",\n"u8,
                .. "  \"created\": \"2026-11-21T12:49:45.2007032Z\"\n}\n"u8,
            ],
            new LockText("process 1 (tests) on here", "0123456789abcdef").Holder(DateTime.UnixEpoch,
                new FilesNote(4711, HasLines: true), number: 12, wipesWaiter: true).ToArray(),
        ];
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var fileSystem = place.Attach();
        fuzzing.Run(100_000, corpus, (bytes, _) =>
        {
            Assert.True(LockText.FilesOf(bytes) is null or { UpTo: >= -1 });
            Assert.True(LockText.NumberOf(bytes) >= -1);
            Assert.NotEmpty(LockText.HolderOf(bytes));
            place.Put(place.Layout.StoreFile, bytes);
            try
            {
                return StoreFile.Read(fileSystem, place.Layout) is not null;
            }
            catch (StoreOpenException)
            {
                return false;
            }
        }, share: 0.25);
    }

    [Fact]
    public async Task Stores_with_any_of_their_files_changed_give_right_answers_or_an_error_that_is_announced()
    {
        using var original = StorePlace.On(VolumeKind.Ext4);
        var whole = await WholeStore.CreateAsync(original);
        string[] paths = [.. whole.Files.Where(each => each.Value is { Length: > 0 }).Select(each => each.Key)];
        fuzzing.Run(15_000, [.. paths.Select(path => whole.Files[path]!)], (bytes, mutator) =>
        {
            using var place = StorePlace.On(VolumeKind.Ext4);
            place.Restore(whole.Files);
            place.Put(mutator.Pick(paths), bytes);
            for (var more = mutator.Next(3); more > 0; more--)
            {
                var path = mutator.Pick(paths);
                place.Put(path, mutator.Change(whole.Files[path]!, bytes));
            }
            var isRight = true;
            foreach (var readOnly in (bool[])[true, false])
            {
                try
                {
                    whole.AssertAnswers(place.Open(options => options.ReadOnly = readOnly));
                    if (!readOnly)
                        place.Open().AppendAsync([NewEvent.FromJson("next", "{}")]).GetAwaiter().GetResult();
                }
                catch (Exception e) when (e is StoreDamagedException or StoreOpenException)
                {
                    isRight = false;
                }
                place.CloseStores();
            }
            try
            {
                place.Check();
            }
            catch (StoreOpenException)
            {
                // Its store.json is none.
            }
            return isRight;
        });
    }

    // Each prefix of the events' frames.
    private static byte[][] FramesOf(StoredEvent[] events)
    {
        var encoder = new IndexEncoder();
        encoder.Encode(events, Lines.Of(events), chain: 0, TagRuleSet.None);
        var all = encoder.Frames.Written.ToArray();
        var ends = new List<int>();
        for (var place = 0; place < all.Length; ends.Add(place))
            place += IndexFrame.HeaderLength + BinaryPrimitives.ReadInt32LittleEndian(all.AsSpan(place));
        return [.. ends.Select(end => all[..end])];
    }

    private static StoredEvent[] Events()
    {
        CommitRange[] commits = [new(1, 1, 0), new(2, 4, 1), new(2, 4, 1), new(2, 4, 1), new(5, 5, 4)];
        var asked = Query.FromItems(Tests.Events.Item(["t0", "t1"], "k:1", "ü:😀"), Tests.Events.Item([], "k:2"));
        string[] data = ["{}", """{"a":[1,2.50,{"b":"ü😀\n"}],"c":null}""", "\"text\"", "[]", """{"courseId":"c1"}"""];
        return [.. commits.Select((commit, at) => new StoredEvent(
            new PreparedEvent($"t{at % 2}", 1
                + at, [new Tag("k", $"{at % 3}"), new Tag("ü", "😀")], Guid.CreateVersion7(), Encoding.UTF8.GetBytes(data[at]), at == 1
                ? "{\"m\":\"1\"}"u8.ToArray()
                : []),
            at + 1, commit, 639_000_000_000_000_000)
        {
            Condition = at + 1 == commit.First ? KeptCondition.Of(new AppendCondition(asked, commit.After)) : null,
        })];
    }
}
