namespace Opossum.Storage.Ledger;

/// <summary>The first position at which the event files are not valid, and why.</summary>
/// <param name="What">What is wrong with it, as the end of a sentence that begins with its path.</param>
internal sealed record FileProblem(long Position, string What);
