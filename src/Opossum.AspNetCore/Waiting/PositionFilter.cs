using Microsoft.AspNetCore.Http;

namespace Opossum.AspNetCore.Waiting;

/// <summary>Lets an endpoint of a minimal API wait.</summary>
internal sealed class PositionFilter(PositionGate gate) : IEndpointFilter
{
    public async ValueTask<object?> InvokeAsync(EndpointFilterInvocationContext context, EndpointFilterDelegate next) =>
        await gate.WaitAsync(context.HttpContext).ConfigureAwait(false) ?? await next(context).ConfigureAwait(false);
}
