using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>Reports progress to a callback that may throw. It is then not called any more, and the log says so: the work goes on.</summary>
internal sealed class CarefulProgress<T> : IProgress<T>
{
    private readonly ILogger logger;
    private IProgress<T>? inner;

    private CarefulProgress(IProgress<T> inner, ILogger logger)
    {
        this.inner = inner;
        this.logger = logger;
    }

    public static IProgress<T>? Of(IProgress<T>? inner, ILogger logger) => inner is null ? null : new CarefulProgress<T>(inner, logger);

    public void Report(T value)
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
