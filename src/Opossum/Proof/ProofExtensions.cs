namespace Opossum;

/// <summary>What the proof of a history adds to the options of a store and to its status.</summary>
public static class ProofExtensions
{
    /// <param name="options">The options of a store.</param>
    extension(OpossumOptions options)
    {
        /// <summary>
        /// Whether, and how, the store keeps a proof of its history: a Merkle tree over the events, in the background, and signed
        /// checkpoints of it. Default: null, none. See docs/proof.md.
        /// </summary>
        public ProofOptions? Proof
        {
            get => options.Feature<ProofOptions>();
            set => options.SetFeature(value);
        }
    }

    /// <param name="status">The status of a store.</param>
    extension(StoreStatus status)
    {
        /// <summary>
        /// The last checkpoint of the store's history, and what became of its copies; null if the store was opened without
        /// <c>OpossumOptions.Proof</c>.
        /// </summary>
        public ProofStatus? Proof => status.ProofStatus as ProofStatus;
    }
}
