using Microsoft.AspNetCore.Mvc;

namespace Opossum.AspNetCoreTests.Waiting;

/// <summary>Actions that wait for a position.</summary>
[ApiController]
[Route("controller")]
public sealed class CountsController(IEventStore store, IProjectionStore<Count> counts) : ControllerBase
{
    [HttpGet("counts")]
    [WaitForPosition<Count>]
    public async Task<int> GetCounts() => (await counts.GetAsync("all"))?.Events ?? 0;

    [HttpGet("soon")]
    [WaitForPosition<Count>(LimitMilliseconds = 1)]
    public Task<int> GetSoon() => GetCounts();

    [HttpGet("named")]
    [WaitForPosition<Count>(Key = "gated-counts")]
    [WaitForPosition]
    [WaitForPosition(Projection = "gated-counts")]
    public Task<int> GetNamed() => GetCounts();

    [HttpGet("head")]
    [WaitForPosition(LimitMilliseconds = 1)]
    public Task<long> GetHead() => store.GetHeadAsync();
}
