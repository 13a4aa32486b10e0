namespace Opossum.Benchmarks.Contenders;

/// <summary>The ways of appending that are compared.</summary>
internal enum AppendWay
{
    /// <summary>One event after another.</summary>
    Alone,

    /// <summary>Batches of <see cref="Entrant.Batch"/> events.</summary>
    Together,

    /// <summary><see cref="Entrant.Writers"/> writers at the same time.</summary>
    Concurrently,
}
