using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Following;

/// <summary>The lead of what one process does for all.</summary>
public sealed class LeadershipTests
{
    // A rebuild looks on a thread of its own.
    [Fact]
    public void Threads_that_look_at_the_same_time_whether_the_lead_is_lost_read_the_lock_file_one_after_another()
    {
        var process = new SteppedProjection(new SimulatedDisk(VolumeKind.Nfs, new SimulatedClock()).Attach());
        process.Append(Counts.Counted("a"));
        process.Run();
        var (inside, most) = (0, 0);
        Exception? error = null;
        Thread? other = null;
        process.Client.BeforeOperation = operation =>
        {
            if (operation.Kind != OperationKind.ReadPastCache || operation.Path != process.Layout.LockFile)
                return;
            most = Math.Max(most, Interlocked.Increment(ref inside));
            if (other is null)
            {
                other = new Thread(() => error = Record.Exception(process.Term.ThrowIfLost));
                other.Start();
                while ((other.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) == 0)
                    Thread.Yield();
            }
            Interlocked.Decrement(ref inside);
        };
        process.Term.ThrowIfLost();
        other!.Join();

        Assert.Equal(1, most);
        Assert.Null(error);
    }
}
