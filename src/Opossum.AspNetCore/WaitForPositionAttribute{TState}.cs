using Opossum.AspNetCore.Waiting;

namespace Microsoft.AspNetCore.Mvc;

/// <summary>Lets an action, or all actions of a controller, wait until a projection's states include the position in <c>after</c>.</summary>
/// <typeparam name="TState">The type of the projection's states.</typeparam>
/// <example><code>
/// [HttpGet("/courses/{id}")]
/// [WaitForPosition&lt;CourseOverview&gt;]
/// public Task&lt;CourseOverview?&gt; Get(string id) =&gt; courses.GetAsync(id);
/// </code></example>
public sealed class WaitForPositionAttribute<TState> : WaitForPositionAttribute
    where TState : class
{
    private protected override PositionWait NewWait() => Projection is null
        ? new ProjectionWait<TState>(Key)
        : throw new InvalidOperationException($"{nameof(Projection)} names a projection of any kind: use it without a type of states.");
}
