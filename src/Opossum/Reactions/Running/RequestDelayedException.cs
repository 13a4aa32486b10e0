namespace Opossum.Reactions.Running;

/// <summary>A request cannot be carried out for now: it stays, and the rest of the term's work continues.</summary>
internal sealed class RequestDelayedException(Exception cause) : Exception(cause.Message, cause);
