using System.Globalization;

namespace Opossum.Testing;

/// <summary>A call of a reaction, as <see cref="ReactionCalls.Record"/> has recorded it.</summary>
public sealed record ReactionCall
{
    /// <summary>What was called.</summary>
    public required string What { get; init; }

    /// <summary>The key that the call carried; null: none.</summary>
    public required string? IdempotencyKey { get; init; }

    /// <summary>The position of the event that was being handled.</summary>
    public required long Position { get; init; }

    /// <summary>The number of the attempt, from 1.</summary>
    public required int Attempt { get; init; }

    /// <summary>The call as a line of text.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{What}{(IdempotencyKey is null ? "" : $", key {IdempotencyKey}")} (event {Position}, attempt {Attempt})");
}
