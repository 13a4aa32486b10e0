namespace Opossum.Diagnostics;

/// <summary>Reports progress to a caller that asked for it.</summary>
internal static class ProgressReport
{
    /// <summary>Reports how much is done; does nothing when nobody listens.</summary>
    public static void Report(this IProgress<StoreProgress>? progress, StoreOperation operation, long done, long total) =>
        progress?.Report(new StoreProgress { Operation = operation, Done = done, Total = total });
}
