namespace Opossum.Tests.Diagnostics;

/// <summary>Whoever listens hears the whole process, and a test counts what is allocated while nobody listens: these tests run alone.</summary>
[CollectionDefinition(nameof(TelemetryCollection), DisableParallelization = true)]
public sealed class TelemetryCollection;
