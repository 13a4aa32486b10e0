using System.Globalization;

namespace Opossum.Testing;

/// <summary>A call of a reaction, as <see cref="ReactionCalls.Record"/> has recorded it.</summary>
/// <param name="What">What was called.</param>
/// <param name="IdempotencyKey">The key that the call carried; null: none.</param>
/// <param name="Position">The position of the event that was being handled.</param>
/// <param name="Attempt">The number of the attempt, from 1.</param>
public sealed record ReactionCall(string What, string? IdempotencyKey, long Position, int Attempt)
{
    /// <summary>The call as a line of text.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture,
        $"{What}{(IdempotencyKey is null ? "" : $", key {IdempotencyKey}")} (event {Position}, attempt {Attempt})");
}
