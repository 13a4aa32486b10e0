using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Filters;

namespace Opossum.AspNetCore.Waiting;

/// <summary>Lets an action of a controller wait, after it was authorized.</summary>
internal sealed class PositionActionFilter(PositionGate gate) : IAsyncActionFilter
{
    public async Task OnActionExecutionAsync(ActionExecutingContext context, ActionExecutionDelegate next)
    {
        if (await gate.WaitAsync(context.HttpContext).ConfigureAwait(false) is { } problem)
            context.Result = new Answer(problem);
        else
            await next().ConfigureAwait(false);
    }

    private sealed class Answer(IResult result) : IActionResult
    {
        public Task ExecuteResultAsync(ActionContext context) => result.ExecuteAsync(context.HttpContext);
    }
}
