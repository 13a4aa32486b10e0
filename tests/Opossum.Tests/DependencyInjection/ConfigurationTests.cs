using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Opossum.Tests.DependencyInjection;

public sealed class ConfigurationTests
{
    [Fact]
    public void Every_option_of_the_section_is_read_whatever_the_case_of_its_key()
    {
        var options = Read("""{ "Opossum": { "path": "stores/courses", "FLUSHEVENTSIMMEDIATELY": false, "LockTimeout": "00:00:30", "payloadBytesMax": 1000, "RecoveryPatience": "00:00:02.5" } }""");

        Assert.Equal("stores/courses", options.Path);
        Assert.False(options.FlushEventsImmediately);
        Assert.Equal(TimeSpan.FromSeconds(30), options.LockTimeout);
        Assert.Equal(1_000, options.PayloadBytesMax);
        Assert.Equal(TimeSpan.FromSeconds(2.5), options.RecoveryPatience);
    }

    [Fact]
    public void Options_that_the_section_does_not_name_keep_their_defaults()
    {
        var (options, defaults) = (Read("""{ "Opossum": { "Path": "a" } }"""), new OpossumOptions());

        Assert.Equal(defaults.FlushEventsImmediately, options.FlushEventsImmediately);
        Assert.Equal(defaults.LockTimeout, options.LockTimeout);
        Assert.Equal(defaults.PayloadBytesMax, options.PayloadBytesMax);
        Assert.Equal(defaults.RecoveryPatience, options.RecoveryPatience);
    }

    [Fact]
    public void The_delegate_has_the_last_word_over_the_section()
    {
        var options = Read("""{ "Opossum": { "Path": "a", "LockTimeout": "00:00:30" } }""", more => more.Path = "b");

        Assert.Equal(("b", TimeSpan.FromSeconds(30)), (options.Path, options.LockTimeout));
    }

    [Theory]
    [InlineData("\"LockTimeuot\": \"00:00:30\"", "Opossum:LockTimeuot is not an option that the configuration can set; those are Path, CreateIfMissing, ReadOnly, FlushEventsImmediately, LockTimeout, PayloadBytesMax and RecoveryPatience.")]
    [InlineData("\"EventTypes\": { \"A\": 1 }", "Opossum:EventTypes is not an option that the configuration can set")]
    [InlineData("\"LockTimeout\": 30", "Opossum:LockTimeout must be a time of the form hh:mm:ss, such as 00:01:00, but is \"30\".")]
    [InlineData("\"LockTimeout\": \"00:30\"", "Opossum:LockTimeout must be a time of the form hh:mm:ss, such as 00:01:00, but is \"00:30\".")]
    [InlineData("\"RecoveryPatience\": \"5 s\"", "Opossum:RecoveryPatience must be a time of the form hh:mm:ss, such as 00:00:05, but is \"5 s\".")]
    [InlineData("\"PayloadBytesMax\": \"10 MiB\"", "Opossum:PayloadBytesMax must be a whole number of bytes, such as 10485760, but is \"10 MiB\".")]
    [InlineData("\"FlushEventsImmediately\": \"yes\"", "Opossum:FlushEventsImmediately must be true or false, but is \"yes\".")]
    [InlineData("\"FlushEventsImmediately\": null", "Opossum:FlushEventsImmediately must be true or false, but is no value.")]
    [InlineData("\"Path\": [ \"a\" ]", "Opossum:Path must be a text, the store's folder, but is no value.")]
    [InlineData("\"LockTimeout\": \"2.00:00:00\"", "OpossumOptions.LockTimeout must lie between 0 and 1 day, but is 2.00:00:00.")]
    [InlineData("\"PayloadBytesMax\": -5", "OpossumOptions.PayloadBytesMax must lie between 1 and 134217728 (128 MiB), but is -5.")]
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

        Assert.Equal("Opossum must be a section of the configuration that holds Opossum's options, but is the value \"stores/courses\".", Assert.Single(refusal.Failures));
    }

    [Fact]
    public void The_whole_configuration_in_the_place_of_a_section_is_refused_with_a_hint()
    {
        var configuration = Parse("""{ "Opossum": { "Path": "a" } }""");
        var services = new ServiceCollection().AddOpossum(configuration, more => more.Path = "a").BuildServiceProvider();

        var refusal = Assert.Throws<OptionsValidationException>(() => services.GetRequiredService<IOptions<OpossumOptions>>().Value);
        Assert.Contains("configuration.GetSection(\"Opossum\")", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_section_sets_the_options_of_its_own_store_only()
    {
        var configuration = Parse("""{ "Stores": { "Orders": { "Path": "orders" }, "Stock": { "Path": "stock", "LockTimeout": "soon" } } }""");
        var options = new ServiceCollection()
            .AddKeyedOpossum("orders", configuration.GetSection("Stores:Orders"))
            .AddKeyedOpossum("stock", configuration.GetSection("Stores:Stock"))
            .BuildServiceProvider()
            .GetRequiredService<IOptionsMonitor<OpossumOptions>>();

        Assert.Equal("orders", options.Get("orders").Path);
        Assert.Throws<OptionsValidationException>(() => options.Get("stock"));
    }

    private static OpossumOptions Read(string json, Action<OpossumOptions>? more = null) =>
        new ServiceCollection().AddOpossum(Parse(json).GetSection("Opossum"), more).BuildServiceProvider().GetRequiredService<IOptions<OpossumOptions>>().Value;

    private static IConfigurationRoot Parse(string json) =>
        new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json))).Build();
}
