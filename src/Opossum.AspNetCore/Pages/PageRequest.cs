using System.Buffers;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Antiforgery;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Opossum.AspNetCore.Pages;

/// <summary>A request for one of the pages.</summary>
/// <param name="storeName">The store's name; null or empty: it has none.</param>
/// <param name="places">The places of the navigation: their names, and their paths below the folder of the pages.</param>
/// <param name="depth">The number of segments of the page's path below the folder of the pages.</param>
internal sealed class PageRequest(HttpContext http, string? storeName, IReadOnlyList<(string Name, string Path)> places, int depth)
{
    // Own files only, no inline script or style, no frames, no plug-ins, and no text that becomes script by way of the document.
    private const string ContentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

    public HttpContext Http => http;

    /// <summary>Whether the app lets visitors of the pages retry, skip and rebuild.</summary>
    public bool AllowsActions { get; init; }

    /// <summary>The field that shows that a form comes from one of these pages.</summary>
    public AntiforgeryTokenSet FormToken => field ??= http.RequestServices.GetRequiredService<IAntiforgery>().GetAndStoreTokens(http);

    /// <summary>The store that the page shows. It is opened only after the visitor was found to be allowed to see it.</summary>
    public ShownStore Shown
    {
        get => field ?? throw new InvalidOperationException("The page has no store, or it is not open yet.");
        set;
    }

    public IEventStore Store => Shown.Store;

    public IReadOnlyList<(string Name, string Path)> Places => places;

    public string? StoreName => storeName;

    public CancellationToken Cancelled => http.RequestAborted;

    /// <summary>The way from this page to the folder of the pages: <c>./</c>, or <c>../</c> for each folder between.</summary>
    public string Root => (depth + (IsFolder ? 0 : -1)) switch
    {
        -1 => $"./{LastSegment}/",
        0 => "./",
        var folders => string.Concat(Enumerable.Repeat("../", folders)),
    };

    private bool IsFolder => http.Request.Path.Value?.EndsWith('/') == true;

    private string LastSegment => http.Request.PathBase.Add(http.Request.Path).ToUriComponent().Split('/')[^1];

    /// <summary>
    /// Redirects from the folder of the pages to its address with a slash at the end, to which the links of its page fit; false: this is another
    /// page, or its address has one.
    /// </summary>
    public bool RedirectToFolder()
    {
        if (depth > 0 || IsFolder)
            return false;
        // Relative, because a reverse proxy may have removed the beginning of the path.
        http.Response.Headers.Location = $"./{LastSegment}/{http.Request.QueryString}";
        http.Response.StatusCode = StatusCodes.Status307TemporaryRedirect;
        return true;
    }

    /// <summary>Sets the headers that every answer has.</summary>
    public static void Protect(HttpResponse response)
    {
        var headers = response.Headers;
        headers.ContentSecurityPolicy = ContentSecurityPolicy;
        headers.XContentTypeOptions = "nosniff";
        headers.XFrameOptions = "DENY";
        headers["Referrer-Policy"] = "no-referrer";
        headers["Cross-Origin-Resource-Policy"] = "same-origin";
        headers["Cross-Origin-Opener-Policy"] = "same-origin";
    }

    /// <summary>Answers with a page that says why there is nothing to see.</summary>
    public Task WriteErrorAsync(int status, string title, string message) => WriteAsync(ErrorPage.Create(this, title, message), status);

    /// <summary>Answers with a JSON file, which browsers and proxies do not keep.</summary>
    /// <param name="name">The file's name, without its ending.</param>
    /// <param name="write">Writes the members of its object.</param>
    public async Task WriteDownloadAsync(string name, Action<Utf8JsonWriter> write)
    {
        // An answer that has begun cannot become an error.
        var bytes = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(bytes))
        {
            writer.WriteStartObject();
            write(writer);
            writer.WriteEndObject();
        }
        Protect(http.Response);
        http.Response.Headers.CacheControl = "no-store";
        http.Response.Headers.ContentDisposition = $"attachment; filename=\"{name}.json\"";
        http.Response.ContentType = "application/json";
        await http.Response.Body.WriteAsync(bytes.WrittenMemory, Cancelled).ConfigureAwait(false);
    }

    /// <summary>Answers with a page, which browsers and proxies do not keep.</summary>
    public async Task WriteAsync(Html html, int status = StatusCodes.Status200OK)
    {
        var bytes = Encoding.UTF8.GetBytes(html.ToString());
        Protect(http.Response);
        http.Response.StatusCode = status;
        http.Response.Headers.CacheControl = "no-store";
        http.Response.ContentType = "text/html; charset=utf-8";
        http.Response.ContentLength = bytes.Length;
        await http.Response.Body.WriteAsync(bytes, Cancelled).ConfigureAwait(false);
    }
}
