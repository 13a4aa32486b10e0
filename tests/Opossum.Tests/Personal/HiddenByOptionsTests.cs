using System.Text.Json;
using System.Text.Json.Serialization;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>Options of the serializer, and interfaces, that would hide a personal member, or the reading of it.</summary>
public sealed class HiddenByOptionsTests : IDisposable
{
    private const string Secret = "Ann Archer";

    private static readonly Tag ann = new("customer", "c1");

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(typeof(Holding<object>))]
    [InlineData(typeof(Holding<List<object>>))]
    [InlineData(typeof(Holding<Dictionary<string, object>>))]
    public void A_converter_of_the_options_for_any_object_is_refused_where_classes_have_personal_members(Type type)
    {
        var refused = Assert.Throws<InvalidOperationException>(() => Open(type, options => options.Converters.Add(new OtherOptions())));

        Assert.Contains("OtherOptions, which hides what it contains", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void References_between_values_are_refused_where_members_are_personal()
    {
        var refused = Assert.Throws<InvalidOperationException>(
            () => Open(typeof(Holding<Named>), options => options.ReferenceHandler = ReferenceHandler.Preserve));

        Assert.Contains("ReferenceHandler", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cycles_that_are_ignored_are_no_references()
    {
        await using var store = Open(typeof(Holding<Named>), options => options.ReferenceHandler = ReferenceHandler.IgnoreCycles);
        await store.AppendAsync([new NewEvent(new Holding<Named>(new Named(Secret)), ann)]);

        Assert.Equal(new Holding<Named>(new Named(Secret)), Assert.Single(await store.ReadAllAsync()).Data);
    }

    [Theory]
    [InlineData(typeof(Explicitly))]
    [InlineData(typeof(InheritsExplicitly))]
    [InlineData(typeof(Holding<List<Explicitly>>))]
    public void A_property_that_implements_a_personal_one_explicitly_is_refused(Type type)
    {
        var refused = Assert.Throws<InvalidOperationException>(() => Open(type));

        Assert.Contains("IMailed.Mail, which is [Personal], explicitly", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_object_whose_class_implements_a_personal_property_explicitly_is_refused_at_the_append()
    {
        await using var store = Open(typeof(Holding<object>));

        var refused = await Assert.ThrowsAsync<ArgumentException>(
            () => store.AppendAsync([new NewEvent(new Holding<object>(new Explicitly { Address = Secret }), ann)]));

        Assert.Contains("IMailed.Mail, which is [Personal], explicitly", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_property_of_the_same_name_says_what_an_explicit_implementation_does_not()
    {
        await using var store = Open(typeof(BothWays));
        await store.AppendAsync([new NewEvent(new BothWays { Mail = Secret }, ann)]);
        await store.ForgetAsync(ann, "asked for it");

        Assert.Null(Assert.IsType<BothWays>(Assert.Single(await store.ReadAsync(Query.FromTags(ann)).ToListAsync(),
            static e => e.Type == "holding").Data).Mail);
    }

    // It would be stored in plain, and read as the member.
    [Theory]
    [InlineData("name")]
    [InlineData("Name")]
    [InlineData("NAME")]
    public async Task Extension_data_with_the_name_of_a_personal_member_is_not_stored(string name)
    {
        await using var store = Open(typeof(Extended));
        var hidden = new Extended { More = new() { [name] = JsonSerializer.SerializeToElement(Secret) } };

        await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([new NewEvent(hidden, ann)]));
        await Assert.ThrowsAsync<ArgumentException>(() => store.AppendAsync([new NewEvent(hidden with { Name = "Ann" }, ann)]));

        Assert.Equal(0, await store.GetHeadAsync());
        Assert.DoesNotContain(place.Snapshot().Values, static bytes => bytes is not null && bytes.AsSpan().IndexOf("Archer"u8) >= 0);
    }

    private FileSystemEventStore Open(Type type, Action<JsonSerializerOptions>? configure = null) => place.Open(options =>
    {
        var json = new JsonSerializerOptions(JsonSerializerDefaults.Web);
        configure?.Invoke(json);
        options.EventTypes.UseJsonSerializerOptions(json);
        options.EventTypes.Add(type);
        options.PersonalData.MasterKey = Customers.Key;
    });

    [EventType("holding")]
    private sealed record Holding<T>(T Value);

    private sealed record Named([property: Personal("customer")] string? Name);

    [EventType("holding")]
    private sealed record Extended
    {
        [Personal("customer")]
        public string? Name { get; init; }

        [JsonExtensionData]
        public Dictionary<string, JsonElement>? More { get; init; }
    }

    private interface IMailed
    {
        [Personal("customer")]
        string? Mail { get; }
    }

    [EventType("holding")]
    private class Explicitly : IMailed
    {
        public string? Address { get; set; }

        string? IMailed.Mail => Address;
    }

    [EventType("holding")]
    private sealed class InheritsExplicitly : Explicitly;

    [EventType("holding")]
    private sealed class BothWays : IMailed
    {
        public string? Mail { get; set; }

        string? IMailed.Mail => Mail;
    }

    private sealed class OtherOptions : JsonConverter<object>
    {
        public override object Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            JsonElement.ParseValue(ref reader);

        public override void Write(Utf8JsonWriter writer, object value, JsonSerializerOptions options) =>
            JsonSerializer.Serialize(writer, value, value.GetType(), JsonSerializerOptions.Web);
    }
}
