namespace Opossum;

/// <summary>How a store keeps the proof of its history: see <c>OpossumOptions.Proof</c>.</summary>
public sealed class ProofOptions : IFeatureOptions
{
    /// <summary>The key that signs checkpoints. Default: null, the tree is kept and no checkpoint is written.</summary>
    public ProofKey? Key { get; set; }

    /// <summary>
    /// The folders that receive a copy of each checkpoint: another share, a stick, a mailbox. Default: none. A folder that is missing or full is
    /// logged; appends continue.
    /// </summary>
    public IList<string> Witnesses { get; private set; } = [];

    /// <summary>
    /// How often a checkpoint is written, if events were appended since the last one. It counts from that one, also when the store was closed
    /// meanwhile. Default: 1 hour. From 1 second to 31 days.
    /// </summary>
    public TimeSpan CheckpointInterval { get; set; } = TimeSpan.FromHours(1);

    void IFeatureOptions.Check(OptionsChecks checks)
    {
        checks.Range<TimeSpan>(CheckpointInterval, TimeSpan.FromSeconds(1), TimeSpan.FromDays(31), "Proof.CheckpointInterval");
        foreach (var witness in Witnesses)
            checks.Path(witness ?? "", "a folder", "Proof.Witnesses");
    }

    IFeatureOptions IFeatureOptions.Copy()
    {
        var copy = (ProofOptions)MemberwiseClone();
        copy.Witnesses = [.. Witnesses];
        return copy;
    }
}
