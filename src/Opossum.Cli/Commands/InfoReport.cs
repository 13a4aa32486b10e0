namespace Opossum.Cli.Commands;

/// <summary>The report of <c>opossum info</c>.</summary>
internal sealed record InfoReport
{
    public required string Path { get; init; }

    public required Guid? Id { get; init; }

    public required long Head { get; init; }

    public static InfoReport Of(StoreStatus status) => new() { Path = status.Path, Id = status.Id, Head = status.Head };
}
