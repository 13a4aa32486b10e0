using System.Text.Json.Serialization;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Serialization;

/// <summary>[Tag] on properties of base classes and of interfaces.</summary>
public sealed class InheritedTagsTests : IDisposable
{
    private static readonly Dictionary<string, object> events = new()
    {
        ["an interface"] = new Implementing("1"),
        ["an interface, explicitly"] = new Explicit("1"),
        ["an interface, with another property of the name"] = new ExplicitBeside("2", "1"),
        ["an interface that implements it"] = new ByDefault("1"),
        ["an interface that an interface extends"] = new ImplementingExtended("1"),
        ["a generic interface"] = new ImplementingGeneric("1"),
        ["an overridden property"] = new Overriding { Key = "1" },
        ["an abstract property"] = new Positional("1"),
        ["a property of which one accessor is overridden"] = new OverridingSetter { Key = "1" },
        ["a private property of a base class"] = new Inheriting(1),
        ["a hidden property"] = new Hiding { Key = 1 },
        ["a property whose own attribute names another key"] = new Own("1"),
        ["a struct's interface"] = new Struct("1"),
    };

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public static TheoryData<string> Names => [.. events.Keys];

    public void Dispose() => place.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_tag_is_found_on(string what)
    {
        var data = events[what];
        await using var store = place.Open(options => options.EventTypes.Add(data.GetType()));
        await store.AppendAsync([new NewEvent(data)]);

        var e = Assert.Single(await store.ReadAllAsync());
        Assert.Equal([new Tag("key", "1")], e.Tags);
        Assert.Single(await store.ReadAllAsync(Query.FromTags(new Tag("key", "1"))));
    }

    [Fact]
    public void Two_interfaces_that_contradict_each_other_are_refused()
    {
        var refused = Assert.Throws<InvalidOperationException>(() => new EventTypeRegistry().Add<Contradicting>());

        Assert.Contains("Contradicting.Key", refused.Message, StringComparison.Ordinal);
    }

    private interface IKeyed
    {
        [Tag("key")]
        string Key { get; }
    }

    [EventType("implementing")]
    private sealed record Implementing(string Key) : IKeyed;

    [EventType("explicit")]
    private sealed record Explicit(string Id) : IKeyed
    {
        string IKeyed.Key => Id;
    }

    [EventType("explicit-beside")]
    private sealed record ExplicitBeside(string Key, string Id) : IKeyed
    {
        string IKeyed.Key => Id;
    }

    private interface IDefault
    {
        string Id { get; }

        [Tag("key")]
        string Key => Id;
    }

    [EventType("by-default")]
    private sealed record ByDefault(string Id) : IDefault;

    private interface IExtended : IKeyed;

    [EventType("implementing-extended")]
    private sealed record ImplementingExtended(string Key) : IExtended;

    private interface IGeneric<T>
    {
        [Tag("key")]
        T Id { get; }
    }

    [EventType("implementing-generic")]
    private sealed record ImplementingGeneric(string Id) : IGeneric<string>;

    private class Base
    {
        [Tag("key")]
        public virtual string Key { get; set; } = "";
    }

    [EventType("overriding")]
    private sealed class Overriding : Base
    {
        public override string Key { get; set; } = "";
    }

    [EventType("overriding-setter")]
    private sealed class OverridingSetter : Base
    {
        [JsonIgnore]
        public override string Key { set => base.Key = value; }
    }

    private abstract record Abstract
    {
        [Tag("key")]
        public abstract string Key { get; init; }
    }

    [EventType("positional")]
    private sealed record Positional(string Key) : Abstract;

    private abstract record Private(int Id)
    {
        [Tag("key")]
#pragma warning disable IDE0051 // Found by its attribute, if at all.
        private int Number => Id;
#pragma warning restore IDE0051
    }

    [EventType("inheriting")]
    private sealed record Inheriting(int Id) : Private(Id);

    private class Computing
    {
        [Tag("key")]
        public string Key => $"{GetType().Name.Length}";
    }

    [EventType("hiding")]
    private sealed class Hiding : Computing
    {
        public new int Key { get; set; }
    }

    private interface IOther
    {
        [Tag("other")]
        string Key { get; }
    }

    [EventType("own")]
    private sealed record Own([property: Tag("key")] string Key) : IOther;

    [EventType("struct")]
    private readonly record struct Struct(string Key) : IKeyed;

    [EventType("contradicting")]
    private sealed record Contradicting(string Key) : IKeyed, IOther;
}
