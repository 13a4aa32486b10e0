using Opossum.Testing;

namespace Opossum.TestingTests.Examples;

/// <summary>A race with its name, as a row of the table of theory cases.</summary>
internal sealed record RaceCase(string Name, Func<RaceTest> Build);
