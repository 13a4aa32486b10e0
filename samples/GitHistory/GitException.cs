namespace GitHistory;

/// <summary>Git is missing or failed; the message is for the user.</summary>
internal sealed class GitException(string message, Exception? innerException = null) : Exception(message, innerException);
