namespace Opossum.Reactions.Running;

/// <summary>The app's function cannot tell the key of an event.</summary>
internal sealed class KeyUnknownException(long position, Exception cause)
    : Exception($"The key of the event at position {position} cannot be told: {cause.Message}", cause);
