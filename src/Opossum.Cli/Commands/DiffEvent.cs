namespace Opossum.Cli.Commands;

/// <summary>An event that is not the same in two stores.</summary>
internal sealed record DiffEvent(Guid Id, string Type, DateTimeOffset Timestamp)
{
    public static DiffEvent Of(SequencedEvent found) => new(found.Id, found.Type, found.Timestamp);
}
