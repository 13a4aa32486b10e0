namespace Opossum.Following;

/// <summary>Work in the background that has nothing of its caller: no request, activity, culture or transaction.</summary>
internal static class DetachedTask
{
    public static Task<T> Run<T>(Func<Task<T>> work)
    {
        using (Suppress())
            return Task.Run(work);
    }

    public static Task Run(Func<Task> work)
    {
        using (Suppress())
            return Task.Run(work);
    }

    private static AsyncFlowControl? Suppress() => ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
}
