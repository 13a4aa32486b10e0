namespace Opossum.Storage.Ledger;

/// <summary>Where the event files stop making sense, and why.</summary>
/// <param name="Position">The position whose file is the matter.</param>
/// <param name="What">What is wrong with it, as the end of a sentence that begins with the file.</param>
internal sealed record FileProblem(long Position, string What);
