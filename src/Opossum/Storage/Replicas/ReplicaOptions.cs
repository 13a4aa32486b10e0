namespace Opossum;

/// <summary>The options of a replica.</summary>
public sealed record ReplicaOptions
{
    /// <summary>
    /// Whether the keys of personal data follow too, from the folder <c>Keys</c> of the store; a folder of keys elsewhere
    /// (<see cref="PersonalDataOptions.KeysFolder"/>) is never copied. Default: false: without them, the replica has the personal data only
    /// encrypted. A person who was forgotten loses the key in the replica whatever is set here.
    /// </summary>
    public bool IncludeKeys { get; init; }

    /// <summary>How long to wait between two looks for new events, more than zero. Default: half a second.</summary>
    public TimeSpan PollInterval { get; init; } = TimeSpan.FromSeconds(0.5);
}
