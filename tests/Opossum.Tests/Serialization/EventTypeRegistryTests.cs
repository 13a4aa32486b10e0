using System.Reflection;
using System.Reflection.Emit;
using System.Text.Json;
using Opossum.Serialization;
using Opossum.Testing;

namespace Opossum.Tests.Serialization;

public sealed class EventTypeRegistryTests
{
    private readonly EventTypeRegistry types = new();

    [Fact]
    public void Name_and_version_come_from_the_attribute()
    {
        Type weighed = typeof(ParcelWeighed);
        types.Add<ParcelSent>().Add(weighed);
        AddParcelWeighedUpcasters();

        Assert.Equal(("parcel-sent", 1), NameAndVersion(new ParcelSent("p1", null)));
        Assert.Equal(("parcel-weighed", 3), NameAndVersion(new ParcelWeighed("p1", 1, "g")));
    }

    [Fact]
    public void A_type_without_attribute_has_the_name_and_version_given()
    {
        types.Add<ParcelChanged>("Parcel has changed", 2).AddUpcaster("Parcel has changed", 1, json => json);

        Assert.Equal(("Parcel has changed", 2), NameAndVersion(new ParcelChanged(ParcelState.Lost)));
    }

    [Fact]
    public void A_name_that_is_not_that_of_the_attribute_is_refused_with_both()
    {
        foreach (var add in new Action[] { () => types.Add<ParcelSent>("other"), () => types.Add(ParcelsJson.Default.ParcelSent, "other") })
        {
            var message = Assert.Throws<InvalidOperationException>(add).Message;
            Assert.Contains("\"parcel-sent\"", message, StringComparison.Ordinal);
            Assert.Contains("\"other\"", message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void An_assembly_gives_every_type_with_the_attribute()
    {
        var assembly = MakeAssembly("first", "second");
        types.AddAssembly(assembly).AddAssembly(assembly);

        Assert.All(assembly.GetTypes().Where(type => !type.IsInterface),
            type => Assert.Equal(type.Name, NameAndVersion(Activator.CreateInstance(type)!).Name));
    }

    [Fact]
    public void An_assembly_without_event_types_is_refused() =>
        Assert.Contains("[EventType]", Assert.Throws<ArgumentException>(() => types.AddAssembly(typeof(object).Assembly)).Message,
            StringComparison.Ordinal);

    [Fact]
    public void A_type_without_attribute_needs_a_name()
    {
        var message = Assert.Throws<ArgumentException>(types.Add<ParcelChanged>).Message;

        Assert.Contains("ParcelChanged", message, StringComparison.Ordinal);
        Assert.Contains("[EventType(", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_without_instances_is_refused()
    {
        Assert.Contains("interface", Assert.Throws<ArgumentException>(() => types.Add<IDisposable>("x")).Message, StringComparison.Ordinal);
        Assert.Contains("abstract", Assert.Throws<ArgumentException>(() => types.Add<Stream>("x")).Message, StringComparison.Ordinal);
        Assert.Contains("abstract", Assert.Throws<ArgumentException>(() => types.Add(typeof(Math))).Message, StringComparison.Ordinal);
        Assert.Contains("open generic", Assert.Throws<ArgumentException>(() => types.Add(typeof(List<>))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_and_versions_obey_the_rules_of_event_types()
    {
        Assert.Throws<ArgumentException>(() => types.Add<ParcelSent>(""));
        Assert.Throws<ArgumentException>(() => types.Add<ParcelSent>("a\uD800"));
        Assert.Throws<ArgumentException>(() => types.Add<ParcelSent>(new string('x', 1_001)));
        Assert.Throws<ArgumentOutOfRangeException>(() => types.Add<ParcelSent>("parcel-sent", 0));
    }

    [Fact]
    public void One_name_for_two_types_is_refused_with_both()
    {
        types.Add<ParcelChanged>("parcel");

        var message = Assert.Throws<InvalidOperationException>(() => types.Add<ParcelGrüße>("parcel")).Message;

        Assert.Contains("ParcelChanged", message, StringComparison.Ordinal);
        Assert.Contains("ParcelGrüße", message, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_names_or_two_versions_for_one_type_are_refused()
    {
        types.Add<ParcelChanged>("changed");

        var message = Assert.Throws<InvalidOperationException>(() => types.Add<ParcelChanged>("other")).Message;
        Assert.Contains("\"changed\"", message, StringComparison.Ordinal);
        Assert.Contains("\"other\"", message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => types.Add<ParcelChanged>("changed", 2));
    }

    [Fact]
    public void A_type_that_took_the_name_of_another_and_had_one_is_refused()
    {
        types.Add<ParcelGrüße>("a").Add<ParcelChanged>("b");

        Assert.Throws<InvalidOperationException>(() => types.Add<ParcelGrüße>("b"));
    }

    [Fact]
    public void The_same_registration_twice_is_harmless_and_the_source_generated_one_counts()
    {
        types.Add<ParcelSent>().Add(ParcelsJson.Default.ParcelSent).Add<ParcelSent>().Add<ParcelSent>("parcel-sent");
        types.Freeze();

        Assert.Same(ParcelsJson.Default.ParcelSent, types.Find("parcel-sent")!.GivenJson);
        Assert.Throws<InvalidOperationException>(
            () => new EventTypeRegistry().Add(ParcelsJson.Default.ParcelSent).Add(new ParcelsJson(new JsonSerializerOptions()).ParcelSent));
    }

    [Fact]
    public void Nothing_changes_once_a_store_uses_the_registry()
    {
        types.Add<ParcelSent>();
        _ = new EventSerializer(types, 1_000);
        _ = new EventSerializer(types, 2_000);

        Assert.Throws<InvalidOperationException>(types.Add<ParcelWeighed>);
        Assert.Throws<InvalidOperationException>(() => types.Add(ParcelsJson.Default.ParcelChanged, "changed"));
        Assert.Throws<InvalidOperationException>(() => types.AddUpcaster("x", 1, json => json));
        Assert.Throws<InvalidOperationException>(() => types.UseJsonSerializerOptions(new JsonSerializerOptions()));
        Assert.Throws<InvalidOperationException>(types.AllowUnknownOrMissingMembers);
    }

    [Fact]
    public void Whoever_shares_a_registry_that_a_store_uses_may_register_the_same_again()
    {
        types.Add<ParcelSent>().Add(ParcelsJson.Default.ParcelChanged, "changed");
        types.Freeze();

        Assert.Same(types, types.Add<ParcelSent>().Add(ParcelsJson.Default.ParcelChanged, "changed"));
    }

    [Fact]
    public async Task Stores_share_a_registry()
    {
        types.Add<ParcelSent>();
        await using var first = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });
        await using var second = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });

        foreach (var store in new[] { first, second })
        {
            await store.AppendAsync(new NewEvent(new ParcelSent("p1", null)), cancellationToken: TestContext.Current.CancellationToken);
            Assert.Equal(new ParcelSent("p1", null),
                (await store.ReadLastAsync(Query.For<ParcelSent>(), TestContext.Current.CancellationToken))!.Data);
        }
        Assert.Contains("OpossumOptions.EventTypes",
            Assert.Throws<ArgumentException>(() => InMemoryEventStore.Open(new OpossumOptions { EventTypes = null! })).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Stores_that_open_at_the_same_time_share_a_registry_that_is_still_being_filled()
    {
        for (var round = 0; round < 50; round++)
        {
            var shared = new EventTypeRegistry();
            var adding = Task.Run(() => Register(shared), TestContext.Current.CancellationToken);
            var opening = Task.Run(shared.Freeze, TestContext.Current.CancellationToken);
            await opening;
            var all = await adding;
            Assert.Equal(all, shared.Find("parcel-sent") is not null);
            Assert.All([shared.Find("parcel-sent")], type => Assert.True(type is null || type.Json is not null));
        }
    }

    [Fact]
    public void A_missing_step_is_refused_when_a_store_opens()
    {
        types.Add<ParcelWeighed>().AddUpcaster("parcel-weighed", 1, json => json);

        var message = Assert.Throws<InvalidOperationException>(() => new EventSerializer(types, 1_000)).Message;

        Assert.Contains("\"parcel-weighed\"", message, StringComparison.Ordinal);
        Assert.Contains("from version 2", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_registry_that_was_refused_can_be_completed()
    {
        types.Add<ParcelWeighed>();
        Assert.Throws<InvalidOperationException>(types.Freeze);

        AddParcelWeighedUpcasters();
        types.Freeze();
    }

    [Fact]
    public void A_step_beyond_the_registered_version_is_refused_when_a_store_opens()
    {
        types.Add<ParcelSent>().AddUpcaster("parcel-sent", 1, json => json);

        var message = Assert.Throws<InvalidOperationException>(types.Freeze).Message;

        Assert.Contains("\"parcel-sent\"", message, StringComparison.Ordinal);
        Assert.Contains("from version 1", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_step_has_one_upcaster_and_belongs_to_a_registered_type()
    {
        types.AddUpcaster("unknown", 7, json => json);

        Assert.Contains("from version 7", Assert.Throws<InvalidOperationException>(() => types.AddUpcaster("unknown", 7, json => json)).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => types.AddUpcaster("unknown", 0, json => json));
        var message = Assert.Throws<InvalidOperationException>(types.Freeze).Message;
        Assert.Contains("upcaster for \"unknown\" from version 7", message, StringComparison.Ordinal);
        Assert.Contains("EventTypes.Add<T>()", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_context_that_does_not_know_a_type_is_refused_when_a_store_opens()
    {
        types.UseJsonSerializerOptions(ParcelsJson.Default.Options).Add<Uri>("uri");

        Assert.Contains("System.Uri", Assert.Throws<InvalidOperationException>(types.Freeze).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_tag_is_declared_on_instance_properties_with_a_getter_and_an_allowed_key()
    {
        Assert.Contains("Count", Assert.Throws<ArgumentException>(() => types.Add<TagOnStatic>("x")).Message, StringComparison.Ordinal);
        Assert.Contains("Secret", Assert.Throws<ArgumentException>(() => types.Add<TagOnSetter>("x")).Message, StringComparison.Ordinal);
        Assert.Contains("Id", Assert.Throws<ArgumentException>(() => types.Add<TagWithColon>("x")).Message, StringComparison.Ordinal);
    }

    private (string Name, int Version) NameAndVersion(object data)
    {
        var prepared = new EventSerializer(types, 1_000).Prepare([new NewEvent(data)])[0];
        return (prepared.Type, prepared.Version);
    }

    private static bool Register(EventTypeRegistry registry)
    {
        try
        {
            registry.Add<ParcelSent>();
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private void AddParcelWeighedUpcasters() => types.AddUpcaster("parcel-weighed", 1, json => json).AddUpcaster("parcel-weighed", 2, json => json);

    private static AssemblyBuilder MakeAssembly(params string[] eventTypes)
    {
        var assembly = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Events"), AssemblyBuilderAccess.Run);
        var module = assembly.DefineDynamicModule("Events");
        module.DefineType("NoEvent", TypeAttributes.Public | TypeAttributes.Interface | TypeAttributes.Abstract).CreateType();
        foreach (var eventType in eventTypes)
        {
            var type = module.DefineType(eventType, TypeAttributes.Public);
            type.SetCustomAttribute(new CustomAttributeBuilder(typeof(EventTypeAttribute).GetConstructor([typeof(string)])!, [eventType]));
            type.CreateType();
        }
        return assembly;
    }

    private sealed class TagOnStatic
    {
        [Tag("count")]
        public static int Count { get; set; }
    }

    private sealed class TagOnSetter
    {
        [Tag("secret")]
        public string Secret { set => secret = value; }

        private string secret = "";

        public override string ToString() => secret;
    }

    private sealed class TagWithColon
    {
        [Tag("a:b")]
        public string? Id { get; set; }
    }
}
