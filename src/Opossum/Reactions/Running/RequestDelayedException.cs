namespace Opossum.Reactions.Running;

/// <summary>A request cannot be carried out for now: it stays, and the rest of the term's work continues.</summary>
internal sealed class RequestDelayedException(string problem, Exception? cause = null) : Exception(problem, cause);
