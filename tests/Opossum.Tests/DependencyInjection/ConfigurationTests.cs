using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Opossum.Tests.DependencyInjection;

public sealed class ConfigurationTests
{
    [Fact]
    public void Every_option_of_the_section_is_read_whatever_the_case_of_its_key()
    {
        var options = Read("""{ "Opossum": { "path": "stores/courses", "FLUSHEVENTSIMMEDIATELY": false, "LockTimeout": "00:00:30", "advanced": { "maxPayloadBytes": 1000, "RecoveryPatience": "00:00:02.5", "SubscriptionPollInterval": "00:00:00.25" } } }""");

        Assert.Equal("stores/courses", options.Path);
        Assert.False(options.FlushEventsImmediately);
        Assert.Equal(TimeSpan.FromSeconds(30), options.LockTimeout);
        Assert.Equal(1_000, options.Advanced.MaxPayloadBytes);
        Assert.Equal(TimeSpan.FromSeconds(2.5), options.Advanced.RecoveryPatience);
        Assert.Equal(TimeSpan.FromSeconds(0.25), options.Advanced.SubscriptionPollInterval);
    }

    [Fact]
    public void Options_that_the_section_does_not_name_keep_their_defaults()
    {
        var (options, defaults) = (Read("""{ "Opossum": { "Path": "a" } }"""), new OpossumOptions());

        Assert.Equal(defaults.FlushEventsImmediately, options.FlushEventsImmediately);
        Assert.Equal(defaults.LockTimeout, options.LockTimeout);
        Assert.Equal(defaults.Advanced.MaxPayloadBytes, options.Advanced.MaxPayloadBytes);
        Assert.Equal(defaults.Advanced.RecoveryPatience, options.Advanced.RecoveryPatience);
        Assert.Equal(defaults.Advanced.SubscriptionPollInterval, options.Advanced.SubscriptionPollInterval);
    }

    [Fact]
    public void The_files_of_keys_can_be_set()
    {
        var options = Read("""{ "Opossum": { "Path": "a", "PersonalData": { "MasterKeyFile": "b", "KeysFolder": "c" } } }""");

        Assert.Equal(("b", "c"), (options.PersonalData.MasterKeyFile, options.PersonalData.KeysFolder));
    }

    [Fact]
    public void Tag_rules_can_be_set()
    {
        var options = Read("""
            { "Opossum": { "Path": "a", "TagRules": [
                { "EventType": "placed", "Member": "customer.id", "Key": "customer" },
                { "EventType": "placed", "Member": "lines[].sku", "Key": "sku" } ] } }
            """);

        Assert.Equal([new TagRule("placed", "customer.id", "customer"), new TagRule("placed", "lines[].sku", "sku")], options.TagRules);
    }

    [Fact]
    public void The_delegate_has_the_last_word_over_the_section()
    {
        var options = Read("""{ "Opossum": { "Path": "a", "LockTimeout": "00:00:30" } }""", more => more.Path = "b");

        Assert.Equal(("b", TimeSpan.FromSeconds(30)), (options.Path, options.LockTimeout));
    }

    [Theory]
    [InlineData("\"LockTimeuot\": \"00:00:30\"",
        "Opossum:LockTimeuot is not an option that the configuration can set; those are Path, CreateIfMissing, ReadOnly, FlushEventsImmediately, "
            + "UseJournal, EnrichMetadata, KeepConditions, SealAllButNewestFolders, TagRules, LockTimeout, PersonalData, Advanced, Projections "
            + "and Reactions.")]
    [InlineData("\"PersonalData\": { \"MasterKey\": \"secret\" }",
        "Opossum:PersonalData:MasterKey is not an option that the configuration can set; those are MasterKeyFile, KeysFolder "
        + "and LostStoreKey.")]
    [InlineData("\"TagRules\": [ { \"EventType\": \"t\", \"Member\": \"m\" } ]", "Opossum:TagRules:0: The tag's key is empty")]
    [InlineData("\"TagRules\": [ { \"EventType\": \"t\", \"Key\": \"k\" } ]", "Opossum:TagRules:0: \"\" is not the path of members.")]
    [InlineData("\"TagRules\": [ { \"EventType\": \"t\", \"Member\": \"m\", \"Key\": [ \"k\" ] } ]",
        "Opossum:TagRules:0:Key must be a text, the key of the tags, but is no value.")]
    [InlineData("\"TagRules\": [ { \"EventType\": \"t\", \"Member\": \"m\", \"Key\": \"k\", \"Tag\": \"k\" } ]",
        "Opossum:TagRules:0:Tag is not an option that the configuration can set; those are EventType, Member and Key.")]
    [InlineData("\"TagRules\": \"t m k\"", "Opossum:TagRules must be a section of the configuration")]
    [InlineData("\"EventTypes\": { \"A\": 1 }", "Opossum:EventTypes is not an option that the configuration can set")]
    [InlineData("\"LockTimeout\": 30",
        "Opossum:LockTimeout must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:01:00, but is \"30\".")]
    [InlineData("\"LockTimeout\": \"00:30\"",
        "Opossum:LockTimeout must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:01:00, but is \"00:30\".")]
    [InlineData("\"LockTimeout\": \"24:00:00\"",
        "Opossum:LockTimeout must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:01:00, but is \"24:00:00\".")]
    [InlineData("\"Advanced\": { \"RecoveryPatience\": \"5 s\" }",
        "Opossum:Advanced:RecoveryPatience must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:00:05, but is \"5 s\".")]
    [InlineData("\"Advanced\": { \"SubscriptionPollInterval\": 100 }",
        "Opossum:Advanced:SubscriptionPollInterval must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:00:00.1, but is \"100\".")]
    [InlineData("\"Advanced\": { \"MaxPayloadBytes\": \"10 MiB\" }", "Opossum:Advanced:MaxPayloadBytes must be a whole number of bytes, such as 10485760, but is \"10 MiB\".")]
    [InlineData("\"FlushEventsImmediately\": \"yes\"", "Opossum:FlushEventsImmediately must be true or false, but is \"yes\".")]
    [InlineData("\"FlushEventsImmediately\": null", "Opossum:FlushEventsImmediately must be true or false, but is no value.")]
    [InlineData("\"Path\": [ \"a\" ]", "Opossum:Path must be a text, the store's folder, but is no value.")]
    [InlineData("\"LockTimeout\": \"2.00:00:00\"", "OpossumOptions.LockTimeout must lie between 00:00:00 and 1.00:00:00, but is 2.00:00:00.")]
    [InlineData("\"Advanced\": { \"SubscriptionPollInterval\": \"00:00:00\" }",
        "OpossumOptions.Advanced.SubscriptionPollInterval must lie between 00:00:00.0010000 and 01:00:00, but is 00:00:00.")]
    [InlineData("\"Advanced\": { \"MaxPayloadBytes\": -5 }", "OpossumOptions.Advanced.MaxPayloadBytes must lie between 1 and 134217728, but is -5.")]
    public void A_wrong_entry_is_refused_by_name(string entry, string message)
    {
        var refusal = Assert.Throws<OptionsValidationException>(() => Read($$"""{ "Opossum": { {{entry}} } }""", more => more.Path = "a"));

        Assert.StartsWith(message, Assert.Single(refusal.Failures), StringComparison.Ordinal);
    }

    [Fact]
    public void All_that_is_wrong_is_told_at_once()
    {
        var refusal = Assert.Throws<OptionsValidationException>(() => Read("""{ "Opossum": { "Paht": "a", "LockTimeout": "soon" } }"""));

        Assert.Equal(3, refusal.Failures.Count());
        Assert.Contains("OpossumOptions.Path must name the store's folder, but is empty.", refusal.Failures);
    }

    [Fact]
    public void A_value_in_the_place_of_the_section_is_refused()
    {
        var refusal = Assert.Throws<OptionsValidationException>(() => Read("""{ "Opossum": "stores/courses" }""", more => more.Path = "a"));

        Assert.Equal("Opossum must be a section of the configuration with Opossum's options, but is the value \"stores/courses\".",
            Assert.Single(refusal.Failures));
    }

    [Fact]
    public void An_empty_value_beside_the_entries_of_the_section_is_no_value()
    {
        var configuration =
            new ConfigurationBuilder().AddInMemoryCollection([new("Opossum", ""), new("Opossum:Path", "a"), new("Opossum:Projections", "")]).Build();
        var options =
            new ServiceCollection().AddOpossum(
                configuration.GetSection("Opossum")).Services.BuildServiceProvider().GetRequiredService<IOptions<OpossumOptions>>().Value;

        Assert.Equal("a", options.Path);
    }

    [Fact]
    public void The_whole_configuration_in_the_place_of_a_section_is_refused_with_a_hint()
    {
        var configuration = Parse("""{ "Opossum": { "Path": "a" } }""");
        var services = new ServiceCollection().AddOpossum(configuration, more => more.Path = "a").Services.BuildServiceProvider();

        var refusal = Assert.Throws<OptionsValidationException>(() => services.GetRequiredService<IOptions<OpossumOptions>>().Value);
        Assert.Contains("configuration.GetSection(\"Opossum\")", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_section_sets_the_options_of_its_own_store_only()
    {
        var configuration = Parse("""{ "Stores": { "Orders": { "Path": "orders" }, "Stock": { "Path": "stock", "LockTimeout": "soon" } } }""");
        var options = new ServiceCollection()
            .AddKeyedOpossum("orders", configuration.GetSection("Stores:Orders"))
            .Services.AddKeyedOpossum("stock", configuration.GetSection("Stores:Stock"))
            .Services.BuildServiceProvider()
            .GetRequiredService<IOptionsMonitor<OpossumOptions>>();

        Assert.Equal("orders", options.Get("orders").Path);
        Assert.Throws<OptionsValidationException>(() => options.Get("stock"));
    }

    [Fact]
    public void Options_of_projections_are_a_section_inside_the_stores()
    {
        var options = ReadProjections("""{ "Opossum": { "Path": "a", "projections": { "WriteInterval": "00:00:00.5", "takeOverInterval": "00:00:02", "PollInterval": "00:00:00.05", "MaxCachedStates": 100, "MaxRetryAttempts": 0, "RetryDelay": "00:00:01" } } }""");

        Assert.Equal(TimeSpan.FromSeconds(0.5), options.WriteInterval);
        Assert.Equal(TimeSpan.FromSeconds(2), options.TakeOverInterval);
        Assert.Equal(TimeSpan.FromSeconds(0.05), options.PollInterval);
        Assert.Equal(100, options.MaxCachedStates);
        Assert.Equal(0, options.MaxRetryAttempts);
        Assert.Equal(TimeSpan.FromSeconds(1), options.RetryDelay);
    }

    [Fact]
    public void Whether_the_host_opens_the_store_again_is_set_for_the_host()
    {
        var services = new ServiceCollection()
            .AddOpossum(Parse("""{ "Opossum": { "Path": "a", "Advanced": { "ReopenAfterFault": false } } }""").GetSection("Opossum"))
            .Services.BuildServiceProvider();

        Assert.False(services.GetRequiredService<IOptions<OpossumOptions>>().Value.Advanced.ReopenAfterFault);
        Assert.Equal("a", services.GetRequiredService<IOptions<OpossumOptions>>().Value.Path);
    }

    [Fact]
    public void Stores_on_demand_have_the_options_of_a_store_beside_their_own()
    {
        const string json = """
            { "Shops": { "Root": "shops", "MaxOpen": 3, "IdleTimeout": "00:01:00", "WaitTimeout": "00:00:05",
              "UseJournal": true, "Advanced": { "ReopenAfterFault": false, "IndexCacheBytes": 3000000000 },
              "PersonalData": { "KeysFolder": "keys" }, "Projections": { "MaxCachedStates": 7 }, "Reactions": { "MaxConcurrency": 8 } } }
            """;
        var options = new ServiceCollection().AddOpossumStores(Parse(json).GetSection("Shops")).Services.BuildServiceProvider()
            .GetRequiredService<IOptions<OpossumStoresOptions>>().Value;

        Assert.Equal(("shops", 3, false), (options.Root, options.MaxOpen, options.Store.Advanced.ReopenAfterFault));
        Assert.Equal((TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(5)), (options.IdleTimeout, options.WaitTimeout));
        Assert.Equal((true, 3_000_000_000, "keys"),
            (options.Store.UseJournal, options.Store.Advanced.IndexCacheBytes, options.Store.PersonalData.KeysFolder));
        Assert.Equal((7, 8), (options.Projections.MaxCachedStates, options.Reactions.MaxConcurrency));
    }

    [Fact]
    public void Without_a_section_of_their_own_projections_have_the_default_options()
    {
        var (options, defaults) = (ReadProjections("""{ "Opossum": { "Path": "a" } }"""), new ProjectionOptions());

        Assert.Equal((defaults.WriteInterval, defaults.MaxCachedStates, defaults.MaxRetryAttempts),
            (options.WriteInterval, options.MaxCachedStates, options.MaxRetryAttempts));
    }

    [Theory]
    [InlineData("{ \"WriteInterval\": 200 }",
        "Opossum:Projections:WriteInterval must be a time of the form hh:mm:ss or d.hh:mm:ss, such as 00:00:00.2, but is \"200\".")]
    [InlineData("{ \"MaxRetryAttempts\": \"few\" }",
        "Opossum:Projections:MaxRetryAttempts must be a whole number of retries, such as 5, but is \"few\".")]
    [InlineData("{ \"Path\": \"a\" }",
        "Opossum:Projections:Path is not an option that the configuration can set; those are WriteInterval, TakeOverInterval, PollInterval, "
            + "MaxCachedStates, MaxRetryAttempts and RetryDelay.")]
    [InlineData("\"quick\"", "Opossum:Projections must be a section of the configuration with Opossum's options, but is the value \"quick\".")]
    [InlineData("{ \"MaxCachedStates\": 1 }", "ProjectionOptions.MaxCachedStates must lie between 2 and 10000000, but is 1.")]
    public void A_wrong_entry_of_the_projections_is_refused_by_name(string projections, string message)
    {
        var refusal =
            Assert.Throws<OptionsValidationException>(() => ReadProjections($$"""{ "Opossum": { "Path": "a", "Projections": {{projections}} } }"""));

        Assert.Equal(message, Assert.Single(refusal.Failures));
    }

    [Theory]
    [InlineData("Projections", "{ \"MaxConcurrency\": 4 }", "Opossum:Projections:MaxConcurrency")]
    [InlineData("Reactions", "\"quick\"", "Opossum:Reactions")]
    public async Task A_wrong_entry_is_refused_also_where_the_app_has_none_of_its_kind(string kind, string section, string named)
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var configuration = Parse($$"""{ "Opossum": { "Path": {{JsonSerializer.Serialize(path)}}, "{{kind}}": {{section}} } }""");
        using var host = AddOpossumTests.Build(services => services.AddOpossum(configuration.GetSection("Opossum")));

        var refusal = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        Assert.Contains(named, Assert.Single(refusal.Failures), StringComparison.Ordinal);
        Assert.False(Directory.Exists(path));
    }

    private static ProjectionOptions ReadProjections(string json) =>
        new ServiceCollection().AddOpossum(
            Parse(
                json).GetSection(
                    "Opossum")).AddProjection<TownPosts>().Services.BuildServiceProvider().GetRequiredService<IOptions<ProjectionOptions>>().Value;

    private static OpossumOptions Read(string json, Action<OpossumOptions>? more = null) =>
        new ServiceCollection().AddOpossum(Parse(json).GetSection("Opossum"),
            more).Services.BuildServiceProvider().GetRequiredService<IOptions<OpossumOptions>>().Value;

    private static IConfigurationRoot Parse(string json) =>
        new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json))).Build();
}
