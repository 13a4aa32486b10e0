namespace Opossum.Benchmarks.Measuring;

/// <summary>What was asked cannot be measured on this machine; the message says why.</summary>
internal sealed class CannotMeasureException(string message, Exception? inner = null) : Exception(message, inner);
