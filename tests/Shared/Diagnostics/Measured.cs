namespace Opossum.Tests.Diagnostics;

/// <summary>A measurement.</summary>
internal sealed record Measured(string Instrument, double Value, IReadOnlyDictionary<string, object?> Attributes)
{
    public object? ErrorType => Attributes.GetValueOrDefault("error.type");
}
