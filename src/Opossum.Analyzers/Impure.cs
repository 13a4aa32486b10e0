using Microsoft.CodeAnalysis;

namespace Opossum.Analyzers;

/// <summary>What of the base class library gives another value each time, or has an effect outside.</summary>
internal static class Impure
{
    private static readonly HashSet<string> unstable = new(StringComparer.Ordinal)
    {
        "System.DateTime.Now", "System.DateTime.UtcNow", "System.DateTime.Today",
        "System.DateTimeOffset.Now", "System.DateTimeOffset.UtcNow",
        "System.TimeProvider.GetUtcNow", "System.TimeProvider.GetLocalNow", "System.TimeProvider.GetTimestamp",
        "System.Diagnostics.Stopwatch.GetTimestamp", "System.Environment.TickCount", "System.Environment.TickCount64",
        "System.Guid.NewGuid", "System.Guid.CreateVersion7",
        "System.IO.Path.GetRandomFileName",
    };

    private static readonly HashSet<string> effects = new(StringComparer.Ordinal)
    {
        "System.Console.Write", "System.Console.WriteLine",
        "System.Net.Http.HttpClient.SendAsync", "System.Net.Http.HttpClient.Send", "System.Net.Http.HttpClient.PostAsync",
        "System.Net.Http.HttpClient.PutAsync", "System.Net.Http.HttpClient.PatchAsync", "System.Net.Http.HttpClient.DeleteAsync",
        "System.Net.Http.Json.HttpClientJsonExtensions.PostAsJsonAsync", "System.Net.Http.Json.HttpClientJsonExtensions.PutAsJsonAsync",
        "System.Net.Http.Json.HttpClientJsonExtensions.PatchAsJsonAsync",
        "System.Net.Mail.SmtpClient.Send", "System.Net.Mail.SmtpClient.SendAsync", "System.Net.Mail.SmtpClient.SendMailAsync",
        "System.Threading.Interlocked.Increment", "System.Threading.Interlocked.Decrement", "System.Threading.Interlocked.Add",
        "System.Diagnostics.Process.Start",
    };

    private static readonly string[] effectsOfFiles = ["Write", "Append", "Create", "Delete", "Move", "Copy", "Replace"];

    /// <summary>Whether a member gives another value each time.</summary>
    public static bool IsUnstable(ISymbol member)
    {
        var type = TypeOf(member);
        return unstable.Contains($"{type}.{member.Name}")
            || (member is IMethodSymbol && type is "System.Random" or "System.Security.Cryptography.RandomNumberGenerator");
    }

    /// <summary>Whether a method has an effect outside of the process or of the caller.</summary>
    public static bool IsEffect(IMethodSymbol method)
    {
        var type = TypeOf(method);
        return effects.Contains($"{type}.{method.Name}")
            || (type is "System.IO.File" or "System.IO.Directory"
                && effectsOfFiles.Any(each => method.Name.StartsWith(each, StringComparison.Ordinal)));
    }

    /// <summary>Whether a method changes a collection of the base class library. What cannot be changed returns another one.</summary>
    public static bool IsChangeOfCollection(IMethodSymbol method) =>
        method.Name is "Add" or "AddRange" or "Insert" or "Remove" or "RemoveAt" or "Clear" or "Enqueue" or "Push" or "TryAdd"
            or "RemoveAll" or "RemoveRange" or "TryRemove" or "Dequeue" or "TryDequeue" or "Pop" or "TryPop" or "AddOrUpdate"
        && method.ContainingNamespace?.ToDisplayString() is "System.Collections.Generic" or "System.Collections.Concurrent";

    private static string? TypeOf(ISymbol member) => member.ContainingType?.OriginalDefinition.ToDisplayString();
}
