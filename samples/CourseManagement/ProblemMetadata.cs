namespace CourseManagement;

/// <summary>What the OpenAPI document says about problems.</summary>
internal static class ProblemMetadata
{
    public static void ProducesCommandProblems(this RouteHandlerBuilder command, params ReadOnlySpan<int> further)
    {
        command.ProducesValidationProblem().ProducesProblem(StatusCodes.Status409Conflict).ProducesProblem(StatusCodes.Status503ServiceUnavailable);
        foreach (var status in further)
            command.ProducesProblem(status);
    }
}
