using Microsoft.AspNetCore.Builder;

namespace Opossum.AspNetCoreTests.Pages;

/// <summary>Apps that show their store to everybody.</summary>
internal static class PageApp
{
    public static Task<TestApp> StartAsync(bool listens = false) =>
        TestApp.StartAsync(static app => app.MapOpossum().AllowAnonymous(), listens: listens);

    public static Task<TestApp> StartAsync(Action<WebApplicationBuilder, OpossumBuilder> build, bool listens = false) =>
        TestApp.StartAsync(static app => app.MapOpossum().AllowAnonymous(), build, listens);
}
