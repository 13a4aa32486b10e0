namespace CourseManagement;

/// <summary>What the OpenAPI document says about problems.</summary>
internal static class ProblemMetadata
{
    /// <summary>Names the problems of an endpoint; each may find the store not available.</summary>
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
