using Opossum.Following;
using Opossum.Projections.Reading;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Projections;

/// <summary>What a status says that is read while a term begins.</summary>
public sealed class StatusWhileStartingTests
{
    [Fact]
    public async Task Row_that_was_read_before_a_term_began_is_not_taken_for_one_of_the_term()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        var host = place.Open().ProjectionHost(new ProjectionOptions());
        var signals = new FollowerSignals();
        var reader = new DbReader(host, "sales", version: 1, ReadAsync, new ProjectionLayout(host.Folder, "sales"), signals);

        Assert.Equal(FollowerPhase.Starting, (await reader.GetStatusAsync(TestContext.Current.CancellationToken)).Phase);
        Assert.Equal(FollowerPhase.Running, (await reader.GetStatusAsync(TestContext.Current.CancellationToken)).Phase);

        Task<PositionRow?> ReadAsync(CancellationToken cancellationToken)
        {
            // The term begins, and clears the rows.
            signals.HasBegun = true;
            return Task.FromResult<PositionRow?>(new PositionRow { Name = "sales", Store = host.StoreId!.Value, Version = 1 });
        }
    }
}
