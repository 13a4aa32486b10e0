using System.Net;
using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Opossum.AspNetCoreTests.Pages;

public sealed class AccessTests
{
    private const string Secret = "secret-type";

    private static readonly string[] paths =
        ["/opossum", "/opossum/", "/opossum/live", "/opossum/events/1", "/opossum/events/1/download", "/opossum/projections",
            "/opossum/projections/keyed-texts", "/opossum/projections/keyed-texts/state?key=a", "/opossum/projections/keyed-texts/state/download?key=a",
            "/opossum/store"];

    [Fact]
    public async Task An_app_without_authentication_shows_nothing_and_says_how_to_open_the_pages()
    {
        await using var app = await TestApp.StartAsync(static app => app.MapOpossum());
        await app.AppendAsync(Secret);

        foreach (var path in paths)
        {
            var text = await app.GetAsync(path, HttpStatusCode.Forbidden);
            Assert.Contains("RequireAuthorization", text, StringComparison.Ordinal);
            Assert.Contains("AllowAnonymous", text, StringComparison.Ordinal);
            Assert.DoesNotContain(Secret, text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Without_a_policy_a_visitor_must_be_authenticated()
    {
        await using var app = await StartAsync(static app => app.MapOpossum());
        await app.AppendAsync(Secret);

        foreach (var path in paths)
            Assert.DoesNotContain(Secret, await app.GetAsync(path, HttpStatusCode.Unauthorized), StringComparison.Ordinal);
        Assert.Contains(Secret, await GetAsAsync(app, "guest", HttpStatusCode.OK), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_policy_decides_who_may_see_the_pages()
    {
        await using var app = await StartAsync(static app => app.MapOpossum().RequireAuthorization("operators"));
        await app.AppendAsync(Secret);

        await app.GetAsync("/opossum/", HttpStatusCode.Unauthorized);
        Assert.DoesNotContain(Secret, await GetAsAsync(app, "guest", HttpStatusCode.Forbidden), StringComparison.Ordinal);
        Assert.Contains(Secret, await GetAsAsync(app, "operator", HttpStatusCode.OK), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_policy_of_the_group_around_the_pages_counts()
    {
        await using var app = await StartAsync(static app => app.MapGroup("/admin").RequireAuthorization("operators").MapOpossum("/events"));
        await app.AppendAsync(Secret);

        await app.GetAsync("/admin/events/", HttpStatusCode.Unauthorized);
        Assert.Contains(Secret, await GetAsAsync(app, "operator", HttpStatusCode.OK, "/admin/events/"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_app_can_open_the_pages_to_everybody()
    {
        await using var app = await StartAsync(static app => app.MapOpossum().AllowAnonymous());
        await app.AppendAsync(Secret);

        Assert.Contains(Secret, await app.GetAsync("/opossum/"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_pages_only_read()
    {
        await using var app = await PageApp.StartAsync();
        await app.AppendAsync(Secret);

        foreach (var method in (HttpMethod[])[HttpMethod.Post, HttpMethod.Put, HttpMethod.Delete, HttpMethod.Patch])
        {
            foreach (var path in paths)
            {
                using var response = await app.Client.SendAsync(new HttpRequestMessage(method, path));
                Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
            }
        }
    }

    [Fact]
    public async Task Nothing_is_there_unless_it_is_mapped()
    {
        await using var app = await TestApp.StartAsync(static app => app.MapGet("/", static () => ""));

        await app.GetAsync("/opossum/", HttpStatusCode.NotFound);
        Assert.Equal("", await app.GetAsync("/"));
    }

    [Fact]
    public async Task A_key_without_a_store_is_refused_when_the_app_starts()
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(static () =>
            TestApp.StartAsync(static app => app.MapOpossum("/opossum", "orders")));

        Assert.Contains("key orders", refused.Message, StringComparison.Ordinal);
        Assert.Contains("AddKeyedOpossum", refused.Message, StringComparison.Ordinal);
    }

    private static Task<TestApp> StartAsync(Action<WebApplication> configure) => TestApp.StartAsync(configure, static (builder, _) =>
    {
        builder.Services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, ByHeader>("test", static _ => { });
        builder.Services.AddAuthorizationBuilder().AddPolicy("operators", static policy => policy.RequireRole("operator"));
    });

    private static async Task<string> GetAsAsync(TestApp app, string role, HttpStatusCode expected, string path = "/opossum/")
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path) { Headers = { { "Role", role } } };
        using var response = await app.Client.SendAsync(request);
        Assert.Equal(expected, response.StatusCode);
        return await response.Content.ReadAsStringAsync();
    }

    /// <summary>Authenticates who names a role in a header.</summary>
    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync()
        {
            if (Request.Headers["Role"].ToString() is not { Length: > 0 } role)
                return Task.FromResult(AuthenticateResult.NoResult());
            var identity = new ClaimsIdentity([new Claim(ClaimTypes.Role, role)], Scheme.Name);
            return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Scheme.Name)));
        }
    }
}
