using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Opossum.AspNetCore.Pages;

/// <summary>A file of the pages: it is in the assembly, and browsers ask for it again only when it has changed.</summary>
internal sealed class Asset
{
    private readonly byte[] content;
    private readonly string contentType;
    private readonly EntityTagHeaderValue tag;

    private Asset(string name, string contentType)
    {
        Name = name;
        this.contentType = contentType;
        using var resource = typeof(Asset).Assembly.GetManifestResourceStream(name)!;
        content = new byte[resource.Length];
        resource.ReadExactly(content);
        tag = new EntityTagHeaderValue($"\"{Convert.ToHexStringLower(SHA256.HashData(content).AsSpan(0, 12))}\"");
    }

    public static IReadOnlyList<Asset> All { get; } =
    [
        new("opossum.css", "text/css; charset=utf-8"),
        new("opossum.js", "text/javascript; charset=utf-8"),
        new("opossum.svg", "image/svg+xml"),
    ];

    public string Name { get; }

    public async Task WriteAsync(HttpContext http)
    {
        PageRequest.Protect(http.Response);
        var headers = http.Response.GetTypedHeaders();
        headers.ETag = tag;
        headers.CacheControl = new CacheControlHeaderValue { NoCache = true };
        if (http.Request.GetTypedHeaders().IfNoneMatch.Any(known => known.Compare(tag, useStrongComparison: false)))
        {
            http.Response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }
        http.Response.ContentType = contentType;
        http.Response.ContentLength = content.Length;
        await http.Response.Body.WriteAsync(content, http.RequestAborted).ConfigureAwait(false);
    }
}
