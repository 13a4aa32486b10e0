namespace CourseManagement;

/// <summary>Describes problems in the OpenAPI document.</summary>
internal static class ProblemMetadata
{
    /// <summary>Declares the problems of an endpoint, including an unavailable store.</summary>
    public static void ProducesProblems(this RouteHandlerBuilder endpoint, params ReadOnlySpan<int> statuses)
    {
        endpoint.ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        foreach (var status in statuses)
        {
            if (status == StatusCodes.Status400BadRequest)
                endpoint.ProducesValidationProblem();
            else
                endpoint.ProducesProblem(status);
        }
    }
}
