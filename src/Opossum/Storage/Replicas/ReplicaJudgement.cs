using System.Globalization;
using Opossum.FileSystem;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Storage.Backup;

namespace Opossum.Storage.Replicas;

/// <summary>Decides whether a folder may follow a store: by the terms of both, and by the events that only one of them has.</summary>
internal sealed class ReplicaJudgement(IFileSystem fileSystem, BackupSource source, BackupTarget target, TimeProvider clock)
{
    private readonly StoreFolder folder = target.Folder;

    /// <summary>Marks the folder, durably, as a replica of the store, before anything is copied.</summary>
    /// <exception cref="StoreMaintenanceException">It cannot be one.</exception>
    public ReplicaFile Admit()
    {
        var known = FolderTerm.Read(fileSystem, folder.Layout);
        var (ours, theirs, before) = (source.StoreFile, known.StoreFile, known.Replica);
        if (theirs is not null && before?.Term > ours.Term && HasLostTerm(before, theirs))
            ours = source.PutBack(theirs, before.Term);
        // Where both have lost it, nothing says that the store is another one.
        if (known.Newest > ours.Term && !(theirs is null && IsSource(before)))
            throw SourceSuperseded(known);
        if (source.FindProblem() is { } problem)
            throw new StoreMaintenanceException(source.Root, $"{folder.Root} does not follow {source.Root}: {problem} Nothing was changed.");
        if ((theirs?.Term ?? before?.Term) < ours.Term)
            ThrowIfTargetHasMore(before);
        if (theirs?.Term == ours.Term && before is null && IsOpened(folder.Layout))
        {
            throw new StoreMaintenanceException(folder.Root, string.Create(CultureInfo.InvariantCulture,
                $"{folder.Root} does not follow {source.Root}: it is a store of its own, of the same id and the same term {ours.Term}, "
                    + $"as a restored or copied one is. Follow into another folder. Nothing was changed."));
        }
        // Order matters: once the file names another source, a promotion would close that one for appends.
        if (before?.Source != source.Root)
            new BackupRun(source, target, progress: null, CancellationToken.None).ThrowIfOtherHistory();
        var replica = new ReplicaFile(source.Root, ours.Term)
        {
            Revision = before is null && !folder.HasEvents ? ours.Revision : before?.Revision,
            Head = before?.Head ?? 0,
            SourceHead = source.HeadSeen,
            At = clock.GetUtcNow(),
        };
        // Order matters: once store.json has the term, the folder would count as the store, and take appends.
        replica.Write(fileSystem, folder.Layout);
        if (theirs?.Term != ours.Term)
        {
            // What its reactions have handled is of a former term: another process has handled more since.
            CopyMark.ReplaceAll(fileSystem, folder.Layout.Reactions, replica.Head);
            // Before the term, after which nothing looks for them.
            FormerStates.RemoveAll(fileSystem, folder.Layout.Projections);
            if (theirs is not null)
                (ours with { Revision = theirs.Revision }).Replace(fileSystem, folder.Layout);
        }
        return replica;
    }

    // Whether the store is what the folder follows, or what was promoted in its place, and its store.json was written again. Its path alone does not
    // say so: on another machine, the former store may have the same one. What was written again is newer than a copy of it.
    private bool HasLostTerm(ReplicaFile before, StoreFile theirs) => IsSource(before) && source.StoreFile.Created > theirs.Created
        && (theirs.Term < before.Term || FindCommon(out var last) == last);

    // Whichever path leads to it.
    private bool IsSource(ReplicaFile? replica) => replica is not null && FolderJudgement.AreSame(fileSystem, replica.Source, source.Root);

    // A process that opens a store for writing makes an index. A backup has none.
    private bool IsOpened(StoreLayout layout) => fileSystem.GetKind(layout.IndexFile) != EntryKind.Missing;

    // The store that is followed is the former one. From now on nothing is appended to it, by whichever process has it open.
    private StoreMaintenanceException SourceSuperseded(FolderTerm known)
    {
        var term = known.Newest;
        // The folder was promoted, or follows the one that was or is marked, or is a backup of it, which does not know its path.
        var promoted = known.Replica is { } replica ? (IsSource(replica) ? ReplicaFile.Elsewhere : replica.Source)
            : IsOpened(folder.Layout) ? folder.Root
            : ReplicaFile.Elsewhere;
        var whatItIs = promoted == folder.Root ? "was"
            : known.Mark is not null ? $"says that {promoted} was"
            : known.Replica is not null ? $"follows {promoted}, which was"
            : "is a copy of the store that was";
        // Order matters: marked first, whatever is wrong with its files, or more events could go to the former store.
        Promotion.TryMark(new StoreFolder(fileSystem, source.Layout),
            new ReplicaFile(promoted, term) { Head = source.Head, SourceHead = source.Head }, clock, out var problem);
        var common = FindCommon(out var last);
        var isKnown = promoted == folder.Root || last > common || source.HeadSeen <= common;
        return new StoreMaintenanceException(source.Root, string.Create(CultureInfo.InvariantCulture,
            $"{folder.Root} does not follow {source.Root}: it {whatItIs} promoted in its place, in term {term}. Nothing was changed in it. ")
            + (problem is null
                ? $"Nothing is appended to {source.Root} any more. "
                : $"{source.Root} could not be marked as the former store: {problem} ")
            + (isKnown ? InWords(source.Root, common, source.HeadSeen) : Unknown(folder.Root, common, source.Root)
                + $" follow {source.Root} into {InWords(promoted)}, which names them."), isTransient: problem is not null)
        {
            Position = isKnown && source.HeadSeen > common ? common : null,
        };
    }

    // The folder is a former store that comes back. What only it has would be lost.
    private void ThrowIfTargetHasMore(ReplicaFile? before)
    {
        var common = FindCommon(out var last);
        if (last <= common)
            return;
        if (before is null || before.Term < source.StoreFile.Term)
            new ReplicaFile(source.Root, source.StoreFile.Term) { SourceHead = source.HeadSeen }.Write(fileSystem, folder.Layout);
        var store = source.ReadTerm().Replica?.Source ?? (IsOpened(source.Layout) ? source.Root : ReplicaFile.Elsewhere);
        var isKnown = store == source.Root || source.HeadSeen > common;
        throw new StoreMaintenanceException(folder.Root,
            $"{folder.Root} does not follow {source.Root} yet: it is the former store, and nothing is appended to it any more. "
                + (isKnown ? InWords(folder.Root, common, last)
                        + $" Then cut it off after position {common}, or move it away and follow into a new folder."
                    : Unknown(source.Root, common, folder.Root) + $" follow {InWords(store)} into {folder.Root}, which names them."))
        {
            Position = isKnown ? common : null,
        };
    }

    private static string InWords(string promoted) => promoted == ReplicaFile.Elsewhere ? "the store that was promoted" : promoted;

    // A copy may merely lag the store that was promoted.
    private static string Unknown(string copy, long last, string root) => string.Create(CultureInfo.InvariantCulture,
        $"{copy} ends at position {last}, so it does not show which later events only {root} has:");

    private static string InWords(string root, long common, long last) => last <= common
        ? "It has no event that the other does not have."
        : string.Create(CultureInfo.InvariantCulture,
            $"Only {root} has the events of positions {common + 1} to {last}, appended before it was known: export them from there, after position "
                + $"{common}, and decide what becomes of each.");

    // The last position at which both have the same event. Up to there both have one history.
    private long FindCommon(out long last)
    {
        last = target.EventFiles.Listing.Newest();
        var (same, other) = (0L, Math.Min(source.HeadSeen, last) + 1);
        while (other - same > 1)
        {
            var middle = same + (other - same) / 2;
            var ours = source.Read(middle);
            if (target.EventFiles.Read(middle, out _) is { } theirs && theirs.IsOfSameOrigin(ours))
                same = middle;
            else
                other = middle;
        }
        return same;
    }
}
