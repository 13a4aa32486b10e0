using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>
/// Reports progress to a callback that may throw. After that the callback is not called again, the log records it, and the work continues.
/// </summary>
internal sealed class CarefulProgress : IProgress<StoreProgress>
{
    private readonly ILogger logger;
    private IProgress<StoreProgress>? inner;

    private CarefulProgress(IProgress<StoreProgress> inner, ILogger logger)
    {
        this.inner = inner;
        this.logger = logger;
    }

    public static IProgress<StoreProgress>? Of(IProgress<StoreProgress>? inner, ILogger logger) =>
        inner is null ? null : new CarefulProgress(inner, logger);

    public void Report(StoreProgress value)
    {
        try
        {
            inner?.Report(value);
        }
        catch (Exception e)
        {
            inner = null;
            StoreLog.ProgressFailed(logger, e);
        }
    }
}
