using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Microsoft.FSharp.Core;
using Opossum.Testing;
using Opossum.Tests.Durability;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Contract;

/// <summary>A mistyped name matches nothing: so names and tags can be taken from types and values, and a name that nobody knows is logged.</summary>
public sealed class TypedQueryTests : IDisposable
{
    private readonly ListLogger log = new();
    private readonly FileSystemEventStore store;

    public TypedQueryTests()
    {
        var options = new OpossumOptions { LoggerFactory = new Loggers(log) };
        options.EventTypes.Add<SeatTaken>().Add<SeatFreed>().Add<HallOpened>();
        store = InMemoryEventStore.Open(options);
    }

    private enum Row
    {
        Front,
        Back,
    }

    private List<string> Warnings => log.Lines.FindAll(line => line.Contains("is not registered", StringComparison.Ordinal));

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => store.Dispose();

    [Fact]
    public async Task A_typed_query_finds_the_events_of_its_types_that_carry_its_tags()
    {
        await store.AppendAsync([new NewEvent(new HallOpened("h1")), new NewEvent(new SeatTaken("h1", 7)), new NewEvent(new SeatFreed("h1", 7)),
            new NewEvent(new SeatTaken("h2", 7))], cancellationToken: Cancellation);
        var hall = Tag.From("hall", "h1");

        Assert.Equal([2, 4], await store.PositionsAsync(Query.For<SeatTaken>()));
        Assert.Equal([2], await store.PositionsAsync(Query.For<SeatTaken>(hall)));
        Assert.Equal([2, 3], await store.PositionsAsync(Query.For<SeatTaken, SeatFreed>(hall, Tag.From("seat", 7))));
        Assert.Equal([1, 2, 3], await store.PositionsAsync(Query.For<SeatTaken, SeatFreed, HallOpened>(hall)));
        Assert.Equal([1, 4], await store.PositionsAsync(Query.For<HallOpened>().Or(Query.For<SeatTaken>(Tag.From("hall", "h2")))));
    }

    [Fact]
    public void Or_with_all_events_is_all_events()
    {
        Assert.True(Query.All.Or(Query.For<SeatTaken>()).IsAll);
        Assert.True(Query.For<SeatTaken>().Or(Query.All).IsAll);
        Assert.Equal("(hall-opened) or (seat-taken or seat-freed with hall:h1)",
            Query.For<HallOpened>().Or(Query.For<SeatTaken, SeatFreed>(Tag.From("hall", "h1"))).ToString());
    }

    [Fact]
    public async Task A_tag_of_a_value_is_the_tag_that_the_attribute_declares()
    {
        var shown =
            new Shown(Guid.NewGuid(), Row.Back, new DateOnly(2026, 2, 3), new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.FromHours(7)), true, -1.5m,
                "a:b", new Version(1, 2));
        var options = new OpossumOptions();
        options.EventTypes.Add<Shown>();
        await using var shows = InMemoryEventStore.Open(options);
        await shows.AppendAsync(new NewEvent(shown), cancellationToken: Cancellation);

        var declared = (await shows.ReadLastAsync(Query.All, Cancellation))!.Tags;

        Tag[] made =
        [
            Tag.From("id", shown.Id), Tag.From("row", shown.Row), Tag.From("day", shown.Day), Tag.From("at", shown.At),
            Tag.From("sold", shown.Sold), Tag.From("price", shown.Price), Tag.From("title", shown.Title), Tag.From("cut", shown.Cut),
        ];
        Assert.Equal(declared, made);
        Assert.Equal(new Tag("price", "-1.5"), made[5]);
    }

    [Fact]
    public void No_tag_is_made_of_nothing_of_a_collection_or_of_an_object_without_a_text()
    {
        Assert.Throws<ArgumentNullException>(() => Tag.From("seat", null!));
        Assert.Contains("Create a tag for each element", Assert.Throws<ArgumentException>(() => Tag.From("seat", new[] { 1, 2 })).Message,
            StringComparison.Ordinal);
        Assert.Contains("no ToString of its own", Assert.Throws<ArgumentException>(() => Tag.From("seat", new object())).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => Tag.From("se:at", 1));
    }

    [Fact]
    public void No_tag_is_made_of_the_text_that_a_compiler_gives_a_record()
    {
        Assert.Contains("no ToString of its own", Assert.Throws<ArgumentException>(() => Tag.From("seat", new SeatId("s1"))).Message,
            StringComparison.Ordinal);
        Assert.Equal(new Tag("seat", "s1"), Tag.From("seat", new NamedSeatId("s1")));
    }

    [Fact]
    public void The_text_of_a_case_of_fsharp_without_fields_is_a_tags_value()
    {
        Assert.Equal(new Tag("seat", "Single"), Tag.From("seat", SeatKind.Single));
        Assert.Contains("no ToString of its own", Assert.Throws<ArgumentException>(() => Tag.From("seat", new SeatKind.Wide(2))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_class_is_refused_when_it_is_registered_whose_tag_has_only_values_with_the_text_that_a_compiler_gives()
    {
        foreach (var add in (Action[])[Add<SeatId>, Add<RowId>, Add<RowId?>, Add<SeatId[]>, Add<IReadOnlyList<RowId>>, Add<RowIds>,
            Add<FSharpOption<SeatId>>, Add<SeatKind.Wide>])
        {
            var message = Assert.Throws<ArgumentException>(add).Message;
            Assert.Contains("Tagged`1", message, StringComparison.Ordinal);
            Assert.Contains("no ToString of its own", message, StringComparison.Ordinal);
        }
        foreach (var add in (Action[])[Add<NamedSeatId>, Add<NamedSeatId[]>, Add<SeatKind>, Add<HallClosed>, Add<object>, Add<Guid?>, Add<bool>,
            Add<Dictionary<string, RowId>>, Add<Nested>])
        {
            add();
        }

        static void Add<T>() => new EventTypeRegistry().Add<Tagged<T>>("tagged");
    }

    [Fact]
    public async Task A_tag_of_an_option_of_fsharp_is_that_of_its_value()
    {
        Assert.Equal(new Tag("seat", "7"), Tag.From("seat", FSharpValueOption<int>.NewValueSome(7)));
        Assert.Throws<ArgumentException>(() => Tag.From("seat", FSharpValueOption<int>.ValueNone));
        Assert.Throws<ArgumentException>(() => Tag.From("seat", FSharpOption<string[]>.Some(["s1"])));
        using var seats = InMemoryEventStore.Open(new OpossumOptions { EventTypes = new EventTypeRegistry().Add<SeatChosen>() });
        await seats.AppendAsync([new NewEvent(new SeatChosen(FSharpOption<string>.Some("s1"), FSharpValueOption<int>.NewValueSome(7),
                FSharpOption<string[]>.Some(["a"]))),
            new NewEvent(new SeatChosen(null, FSharpValueOption<int>.ValueNone, null))], cancellationToken: Cancellation);

        var tags = await seats.ReadAsync(Query.All, cancellationToken: Cancellation).Select(static e => string.Join(' ', e.Tags))
            .ToListAsync(Cancellation);

        Assert.Equal(["seat:s1 row:7 wish:a", ""], tags);
    }

    [Fact]
    public async Task A_type_without_the_attribute_or_not_registered_with_the_store_is_refused()
    {
        Assert.Contains("has no [EventType", Assert.Throws<ArgumentException>(() => Query.For<Version>()).Message, StringComparison.Ordinal);
        var unknown = Query.For<HallOpened>().Or(Query.For<Shown>());

        foreach (var refusal in new[]
        {
            Assert.Throws<ArgumentException>("query", () => store.ReadAsync(unknown)),
            Assert.Throws<ArgumentException>("query", () => store.SubscribeAsync(unknown, cancellationToken: Cancellation)),
            await Assert.ThrowsAsync<ArgumentException>("condition",
                async () => await store.AppendAsync(new NewEvent(new HallOpened("h1")), new AppendCondition(unknown), Cancellation)),
            await Assert.ThrowsAsync<ArgumentException>("query",
                async () => await store.BuildDecisionModelAsync(DecisionProjection.Create(0).On<Shown>((count, _) => count + 1), Cancellation)),
            Assert.Throws<ArgumentException>("projections", () => store.StartProjections([new Shows()])),
        })
        {
            Assert.Contains($"{typeof(Shown)}, \"shown\", is not registered", refusal.Message, StringComparison.Ordinal);
            Assert.Contains("options.EventTypes.Add<Shown>()", refusal.Message, StringComparison.Ordinal);
        }
        Assert.Equal(0, await store.GetHeadAsync(Cancellation));
    }

    [Fact]
    public void A_type_whose_name_stands_for_another_type_in_the_store_is_refused() =>
        Assert.Contains($"but {typeof(SeatTaken)} is registered under that name",
            Assert.Throws<ArgumentException>("query", () => store.ReadAsync(Query.For<OtherSeatTaken>())).Message, StringComparison.Ordinal);

    [Fact]
    public async Task A_type_from_which_a_registered_one_derives_is_refused_unless_both_are_named()
    {
        using var halls = InMemoryEventStore.Open(new OpossumOptions { EventTypes = new EventTypeRegistry().Add<HallClosed>().Add<HallBurnt>() });
        await halls.AppendAsync([new NewEvent(new HallClosed("h1")), new NewEvent(new HallBurnt("h2"))], cancellationToken: Cancellation);
        var closed = DecisionProjection.Create(0).On<HallClosed>((count, _) => count + 1);

        foreach (var refusal in new[]
        {
            Assert.Throws<ArgumentException>("query", () => halls.ReadAsync(Query.For<HallClosed>())),
            await Assert.ThrowsAsync<ArgumentException>("query", async () => await halls.BuildDecisionModelAsync(closed, Cancellation)),
        })
        {
            Assert.Contains($"{typeof(HallBurnt)}, \"hall-burnt\", derives from it", refusal.Message, StringComparison.Ordinal);
        }
        Assert.Equal([1], await halls.PositionsAsync(Query.FromEventTypes("hall-closed")));
        Assert.Equal([1, 2], await halls.PositionsAsync(Query.For<HallClosed>().Or(Query.For<HallBurnt>())));
        Assert.Equal(2, (await halls.BuildDecisionModelAsync(closed.On<HallBurnt>((count, _) => count + 1), Cancellation)).State);
    }

    [Fact]
    public async Task A_name_that_is_neither_registered_nor_stored_is_logged_once()
    {
        await store.PositionsAsync(Query.FromEventTypes("seat-takne", "seat-taken"));
        await store.PositionsAsync(Query.FromItems(Item(["seat-takne"], "hall:h1")));
        await store.AppendAsync(New("noted"), new AppendCondition(Query.FromEventTypes("seat-takne", "hall-opnd")), Cancellation);

        Assert.Equal(2, Warnings.Count);
        Assert.Contains("seat-takne", Warnings[0], StringComparison.Ordinal);
        Assert.Contains("hall-opnd", Warnings[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_that_is_stored_or_comes_with_the_append_is_not_logged()
    {
        await store.AppendAsync(New("noted"), new AppendCondition(Query.FromEventTypes("noted")), Cancellation);
        await store.PositionsAsync(Query.FromEventTypes("noted", "hall-opened"));

        Assert.Empty(Warnings);
    }

    [EventType("seat-taken")]
    private sealed record SeatTaken([property: Tag("hall")] string Hall, [property: Tag("seat")] int Seat);

    [EventType("seat-taken")]
    private sealed record OtherSeatTaken(string Hall);

    [EventType("seat-freed")]
    private sealed record SeatFreed([property: Tag("hall")] string Hall, [property: Tag("seat")] int Seat);

    [EventType("hall-closed")]
    private record HallClosed(string Hall);

    [EventType("hall-burnt")]
    private sealed record HallBurnt(string Hall) : HallClosed(Hall);

    [EventType("hall-opened")]
    private sealed record HallOpened([property: Tag("hall")] string Hall);

    [EventType("shown")]
    private sealed record Shown(
        [property: Tag("id")] Guid Id, [property: Tag("row")] Row Row, [property: Tag("day")] DateOnly Day, [property: Tag("at")] DateTimeOffset At,
        [property: Tag("sold")] bool Sold, [property: Tag("price")] decimal Price, [property: Tag("title")] string Title,
        [property: Tag("cut")] Version Cut);

    [EventType("seat-chosen")]
    private sealed record SeatChosen([property: Tag("seat")] FSharpOption<string>? Seat, [property: Tag("row")] FSharpValueOption<int> Row,
        [property: Tag("wish")] FSharpOption<string[]>? Wishes);

    private sealed record Tagged<T>([property: Tag("seat")] T Seat);

    private sealed record SeatId(string Value);

    private readonly record struct RowId(int Value);

    private sealed class RowIds : List<RowId>;

    private sealed class Nested : List<Nested>;

    private sealed record NamedSeatId(string Value)
    {
        public override string ToString() => Value;
    }

    // As the compiler of F# writes a union.
    [CompilationMapping(SourceConstructFlags.SumType)]
    private class SeatKind
    {
        public static SeatKind Single { get; } = new();

        [CompilerGenerated]
        public sealed override string ToString() => this is Wide wide ? $"Wide {wide.Item}" : nameof(Single);

        public sealed class Wide(int item) : SeatKind
        {
            [CompilationMapping(SourceConstructFlags.Field, 1, 0)]
            public int Item { get; } = item;
        }
    }

    private sealed class Loggers(ILogger logger) : ILoggerFactory
    {
        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public ILogger CreateLogger(string categoryName) => logger;

        public void Dispose()
        {
        }
    }

    private sealed class Shows : Projection<Shown>
    {
        public Shows()
            : base("shows") => On<Shown>(e => e.Title, (_, e) => e);
    }
}
