using System.Diagnostics;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace Opossum.AspNetCore.Problems;

/// <summary>What a client is answered after an exception.</summary>
/// <param name="RetryAfter">The value of the header Retry-After, in seconds; null: no such header.</param>
internal sealed record StoreProblem(ProblemDetails Details, string? RetryAfter = null)
{
    /// <summary>The seconds after which a client tries again.</summary>
    public const string RetrySeconds = "5";

    private const string Assembly = "Opossum";

    private const string NotAvailable = "The event store is not available for now. Try again later.";

    /// <summary>Finds the problem in an exception; null: the exception is the app's own matter.</summary>
    /// <param name="exception">What a request has ended with.</param>
    /// <param name="isRead">Whether the request only reads, so that it can be repeated in any case.</param>
    public static StoreProblem? Of(Exception exception, bool isRead) => exception switch
    {
        AppendConditionFailedException conflict => Conflict(conflict),
        StoreFaultedException faulted => Faulted(faulted),
        ProjectionException { Fault: not null } faulted => ProjectionStopped(faulted.Projection),
        // An append, or an opening before it, that has stored nothing: of a request that appends once, as most do. Any other may come from a read
        // after an append.
        EventStoreException { IsTransient: true } when isRead || exception is StoreLockTimeoutException or StoreOpenException => Later(NotAvailable),
        EventStoreException { IsTransient: true } => Problem(StatusCodes.Status503ServiceUnavailable, "Not available for now",
            "The event store is not available for now. The request may have stored events before that. Read before you repeat the request."),
        ProjectionException damaged => OfProjection(damaged.Projection, "Read model cannot be read",
            $"The states of the read model {damaged.Projection} cannot be read until an operator has fixed that."),
        PersonalDataException { ForgottenPerson: not null } => Problem(StatusCodes.Status409Conflict, "The person was forgotten",
            "The request has personal data of a person who was forgotten. Do not repeat it."),
        PersonalDataException => Problem(StatusCodes.Status503ServiceUnavailable, "Personal data cannot be used",
            "It cannot be encrypted or decrypted: a key is missing or does not fit."),
        BadHttpRequestException { InnerException: JsonException json } bad => new StoreProblem(BadJson(json, bad.StatusCode)),
        BadHttpRequestException bad => Problem(bad.StatusCode, "The request is not valid", bad.Message),
        // Refused by the store's own checks, not by those of a library that it calls.
        ArgumentException refused when IsOfStore(refused) =>
            Problem(StatusCodes.Status400BadRequest, "The event store refused a value", refused.Message),
        _ => null,
    };

    /// <summary>A read model that has stopped at an event, which only an operator can change.</summary>
    public static StoreProblem ProjectionStopped(string projection) => OfProjection(projection, "Read model stopped",
        $"The read model {projection} has stopped at an event, and contains no later events until an operator has fixed that.");

    /// <summary>What may work later without any change.</summary>
    public static StoreProblem Later(string detail) =>
        Problem(StatusCodes.Status503ServiceUnavailable, "Not available for now", detail) with { RetryAfter = RetrySeconds };

    private static StoreProblem OfProjection(string projection, string title, string detail) =>
        Problem(StatusCodes.Status503ServiceUnavailable, title, detail, ("projection", projection));

    // Some checks are the framework's, as ArgumentNullException.ThrowIfNull: then its caller counts.
    private static bool IsOfStore(ArgumentException refused)
    {
        foreach (var frame in new StackTrace(refused).GetFrames())
        {
            if (DiagnosticMethodInfo.Create(frame) is not { } method)
                return false;
            if (method.DeclaringTypeName?.StartsWith("System.Argument", StringComparison.Ordinal) != true)
                return method.DeclaringAssemblyName.Split(',')[0] == Assembly;
        }
        return false;
    }

    private static StoreProblem Conflict(AppendConditionFailedException conflict) => Problem(StatusCodes.Status409Conflict,
        "Another append came first",
        $"Nothing was stored: the event at position {conflict.ConflictingPosition} contradicts this request. Read again and decide again.",
        ("conflictingPosition", conflict.ConflictingPosition), ("head", conflict.Head));

    private static StoreProblem Faulted(StoreFaultedException faulted)
    {
        if (faulted.Outcome == AppendOutcome.NothingWritten)
            return Later("The event store accepts no appends until it is opened again. Nothing was stored. Try again later.");
        var isStored = faulted.Outcome == AppendOutcome.Stored;
        return Problem(StatusCodes.Status500InternalServerError, "The event store failed during the request",
            isStored ? "The events are stored. Do not repeat the request." : "The events may be stored. Read before you repeat the request.",
            ("outcome", isStored ? "stored" : "unknown"));
    }

    private static HttpValidationProblemDetails BadJson(JsonException json, int status)
    {
        // The path begins with "$.", or that of an element with "$[".
        var member = json.Path is { Length: > 2 } path ? path[(path[1] == '.' ? 2 : 1)..] : "";
        var error = member.Length > 0 ? "The value does not have the expected form." : "The body is not the expected JSON.";
        return new HttpValidationProblemDetails([new(member, [error])]) { Status = status };
    }

    private static StoreProblem Problem(int status, string title, string detail, params ReadOnlySpan<(string Name, object? Value)> members)
    {
        var details = new ProblemDetails { Status = status, Title = title, Detail = detail };
        foreach (var (name, value) in members)
            details.Extensions[name] = value;
        return new StoreProblem(details);
    }
}
