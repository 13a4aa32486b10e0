using Opossum.Following;

namespace Opossum.Tests;

/// <summary>Waits for all that one call has started.</summary>
internal static class RunningExtensions
{
    public static Task WaitForAsync(this IAsyncDisposable running, long position, CancellationToken cancellationToken) =>
        ((FollowerRunner)running).WaitForAsync(position, cancellationToken);
}
