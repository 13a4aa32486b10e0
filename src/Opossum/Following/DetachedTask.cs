namespace Opossum.Following;

/// <summary>Work in the background that has nothing of its caller: no request, activity, culture or transaction.</summary>
internal static class DetachedTask
{
    public static Task Run(Func<Task> work)
    {
        using (ExecutionContext.IsFlowSuppressed() ? (AsyncFlowControl?)null : ExecutionContext.SuppressFlow())
            return Task.Run(work);
    }
}
