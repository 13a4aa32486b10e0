namespace GitHistory;

/// <summary>The store is that of something else; the message is for the user.</summary>
internal sealed class ForeignStoreException(string message) : Exception(message);
