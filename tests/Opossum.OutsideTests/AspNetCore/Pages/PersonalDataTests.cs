using System.Net.ServerSentEvents;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>The pages show personal data as it is stored, also where the host has the master key.</summary>
public sealed class PersonalDataTests
{
    private static readonly string[] secrets = ["Ann Archer", "ann@example.org"];

    [Fact]
    public async Task Pages_and_their_JSON_show_personal_data_encrypted_though_the_host_could_decrypt_it()
    {
        await using var app = await StartAsync();
        var registered = new NewEvent(new CustomerRegistered("c1", "Ann Archer", "ann@example.org", "Springfield"))
        {
            Metadata = new Dictionary<string, string> { ["correlationId"] = "request 7" },
        };
        await app.Store.AppendAsync([registered, NewEvent.FromJson("note-taken", """{"note":"open"}""") with
        {
            Metadata = new Dictionary<string, string> { ["correlationId"] = "request 7" },
        }]);
        Assert.Equal("Ann Archer", await NameAsync(app));

        foreach (var path in (string[])["", "?type=customer-registered", "?tag=customer%3Ac1", "events/1", "events/2", "events/1/download", "store", "projections"])
        {
            var text = await app.GetAsync($"/opossum/{path}");
            Assert.All(secrets, secret => Assert.DoesNotContain(secret, text, StringComparison.Ordinal));
            if (path is "" or "events/1" or "events/1/download")
                Assert.Contains("$sealed", text, StringComparison.Ordinal);
            if (path is "events/1" or "events/1/download")
                Assert.Contains("Springfield", text, StringComparison.Ordinal);
        }
        var live = await ReadLiveAsync(app);
        Assert.All(secrets, secret => Assert.DoesNotContain(secret, live, StringComparison.Ordinal));
        Assert.Contains("$sealed", live, StringComparison.Ordinal);
    }

    private static Task<TestApp> StartAsync() => PageApp.StartAsync(static (builder, _) =>
        builder.Services.Configure<OpossumOptions>(static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = MasterKey.Create();
        }));

    // The host itself reads it.
    private static async Task<string?> NameAsync(TestApp app)
    {
        await foreach (var e in app.Store.ReadAsync(Query.For<CustomerRegistered>()))
            return ((CustomerRegistered)e.Data!).Name;
        return null;
    }

    private static async Task<string> ReadLiveAsync(TestApp app)
    {
        using var response = await app.Client.GetAsync("/opossum/live?after=0", HttpCompletionOption.ResponseHeadersRead);
        await using var stream = await response.Content.ReadAsStreamAsync();
        await foreach (var item in SseParser.Create(stream).EnumerateAsync())
        {
            if (item.EventType == SseParser.EventTypeDefault)
                return item.Data;
        }
        return "";
    }
}
