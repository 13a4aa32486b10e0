namespace Opossum;

/// <summary>What happens to the further events of a key while one of its events is parked.</summary>
public enum ParkedKey
{
    /// <summary>They wait until the parked event is retried successfully or skipped, and are handled in order then.</summary>
    Waits,

    /// <summary>They are handled: the order of a key does not matter more than its further events.</summary>
    Continues,
}
