using Microsoft.Extensions.Logging;
using Opossum.Proof;
using Opossum.Storage;
using Opossum.Storage.Commit;
using Opossum.Storage.Opening;
using Opossum.Storage.Sealing;

namespace Opossum.Running;

/// <summary>What a store that is open for writing does beside its appends, as its options ask for it.</summary>
internal sealed class BackgroundWork : IDisposable
{
    private readonly BackgroundFiles? files;
    private readonly ProofKeeper? proofKeeper;
    private readonly BackgroundSealing? sealing;

    public BackgroundWork(OpenStore store, Committer committer, OpossumOptions options, StoreSettings settings, ILogger logger)
    {
        if (!settings.Flush || settings.UseJournal)
            files = new BackgroundFiles(committer.Writeback, settings, logger);
        if (options.SealAllButNewestFolders is { } keepNewest)
        {
            sealing = new BackgroundSealing(store.Folder, keepNewest, settings.TimeProvider, logger);
            sealing.Note(store.Index.Published.Contents.Head);
        }
        if (options.Proof is { } proof)
        {
            proofKeeper = new ProofKeeper(proof, store.Folder, store.Index, store.EventFiles, committer.Writeback.MakeDurable,
                settings.TimeProvider, logger);
        }
    }

    public void NoteCommit(long head)
    {
        // The events are stored by now. Work that was requested earlier could run before that, and no other would follow.
        files?.Schedule();
        proofKeeper?.Note(head);
        sealing?.Note(head);
    }

    /// <summary>The proof's status; null: the store keeps none.</summary>
    public ProofStatus? ReadProofStatus() => proofKeeper?.ReadStatus();

    /// <summary>Seals the folders that are due, on the caller's thread, when the option asks for it.</summary>
    public void SealFolders() => sealing?.Run();

    public void Dispose()
    {
        proofKeeper?.Dispose();
        sealing?.Dispose();
        // What they have begun gets its files.
        files?.Dispose();
    }
}
