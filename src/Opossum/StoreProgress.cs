using System.Globalization;

namespace Opossum;

/// <summary>How far a long work on a store has come. Everything that reports progress reports this: checks, repairs, and the building of the index and of projections.</summary>
/// <param name="Work">What is being done.</param>
/// <param name="Done">How many events have been dealt with.</param>
/// <param name="Total">How many there are to deal with, as far as is known now. It may grow while a projection is built, since events keep coming.</param>
/// <param name="Projection">The projection's name; null unless <paramref name="Work"/> is <see cref="StoreWork.ProjectionRebuild"/>.</param>
public readonly record struct StoreProgress(StoreWork Work, long Done, long Total, string? Projection = null)
{
    /// <summary>The progress as one line.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Doing}: {Done} of {Total} events");

    private string Doing => Work switch
    {
        StoreWork.Check => "Checking",
        StoreWork.Repair => "Repairing",
        StoreWork.IndexRebuild => "Building the index",
        StoreWork.ProjectionRebuild => $"Building the projection {Projection}",
        _ => Work.ToString(),
    };
}
