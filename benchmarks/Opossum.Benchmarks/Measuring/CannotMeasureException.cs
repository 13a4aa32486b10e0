namespace Opossum.Benchmarks.Measuring;

/// <summary>The measure is not possible on this machine; the message states why.</summary>
internal sealed class CannotMeasureException(string message, Exception? inner = null) : Exception(message, inner);
