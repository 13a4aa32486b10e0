using System.Diagnostics;

namespace Opossum.ProcessTests.Worker;

/// <summary>The begin or the end of one attempt to handle an event.</summary>
/// <param name="Time">When it was, by a clock that all processes of a machine share.</param>
/// <param name="Position">The event's position.</param>
/// <param name="Attempt">The number of the attempt.</param>
/// <param name="IdempotencyKey">The key that the context gave.</param>
/// <param name="IsEnd">Whether it is the end.</param>
internal sealed record Handled(long Time, long Position, int Attempt, string IdempotencyKey, bool IsEnd)
{
    public Handled(ReactionContext context, bool IsEnd)
        : this(Stopwatch.GetTimestamp(), context.Event.Position, context.Attempt, context.IdempotencyKey, IsEnd)
    {
    }

    /// <summary>Reads the whole lines of a file; a process that is killed may leave a part of one.</summary>
    public static IEnumerable<Handled> ReadAll(string file) =>
        from line in File.ReadAllText(file).Split('\n')[..^1]
        let parts = line.Split(' ')
        select new Handled(long.Parse(parts[0]), long.Parse(parts[1]), int.Parse(parts[2]), parts[3], bool.Parse(parts[4]));

    public override string ToString() => $"{Time} {Position} {Attempt} {IdempotencyKey} {IsEnd}";
}
