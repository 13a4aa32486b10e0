using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>Reports progress to a callback that may throw. It is then not called any more, and the log says so: the work goes on.</summary>
internal sealed class CarefulProgress : IProgress<StoreProgress>
{
    private readonly ILogger logger;
    private IProgress<StoreProgress>? inner;

    private CarefulProgress(IProgress<StoreProgress> inner, ILogger logger)
    {
        this.inner = inner;
        this.logger = logger;
    }

    public static IProgress<StoreProgress>? Of(IProgress<StoreProgress>? inner, ILogger logger) => inner is null ? null : new CarefulProgress(inner, logger);

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
