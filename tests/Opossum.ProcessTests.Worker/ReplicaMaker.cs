using Opossum.Maintenance;

namespace Opossum.ProcessTests.Worker;

/// <summary>Follows a store, and says how far the replica is after each step that copied something.</summary>
internal static class ReplicaMaker
{
    public static Task RunAsync(string path, string replica)
    {
        Lines.EndWithTheTest();
        return StoreReplica.FollowAsync(path, replica, new ReplicaOptions { PollInterval = TimeSpan.FromMilliseconds(1) }, new Steps());
    }

    private sealed class Steps : IProgress<ReplicaReport>
    {
        public void Report(ReplicaReport value)
        {
            if (value.Copied > 0)
                Lines.Say($"head {value.Head}");
        }
    }
}
