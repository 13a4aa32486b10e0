using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Serialization;
using Opossum.Storage.Definitions;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Locking;
using Opossum.Storage.Log;

namespace Opossum.Storage.Check;

/// <summary>One run of a check.</summary>
internal sealed class StoreChecker(IFileSystem fileSystem, StoreLayout layout, string? keysFolder)
{
    private const int NamedRedactionsMax = 1_000;

    private static readonly TimeSpan lockTimeout = TimeSpan.FromMinutes(1);

    private readonly StoreFolder folder = new(fileSystem, layout, forReading: true);
    private readonly string root = layout.Root;
    private readonly List<StoreFinding> findings = [];
    private readonly List<(int Finding, long First, long Last)> undecided = [];
    private readonly List<long> redacted = [];
    private EventFiles eventFiles = null!;
    private long redactedCount;
    private long wholeUpTo;
    // The one that is compared, also when a change of tag rules gives another one its name meanwhile.
    private IFile? indexFile;

    public StoreCheckReport Run(IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        try
        {
            return CheckAll(progress, cancellationToken);
        }
        finally
        {
            indexFile?.Dispose();
        }
    }

    private StoreCheckReport CheckAll(IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        if (fileSystem.GetKind(root) != EntryKind.Folder)
            throw new StoreOpenException(root, $"{root} is not a folder, so it is not a store.");
        folder.ThrowIfLinked();
        var storeFile = ReadStoreFile(out var isBad);
        if (storeFile is null && !folder.HasEvents)
        {
            throw new StoreOpenException(root,
                $"{root} is not a store: it holds neither {StoreLayout.StoreFileName} nor the folder {StoreLayout.EventsFolderName}.");
        }

        using var ledger = new EventFiles(folder);
        eventFiles = ledger;
        var isStrange = HasStrangeIndex();
        if (!isStrange)
            folder.UseIdOfIndex(IndexHeader.FindStoreId(fileSystem, layout));
        var hasIndex = !isStrange && folder.Id is not null;
        FindStrangeSealedFiles();
        var checkpoint = ProofComparison.ReadCheckpoint(folder, findings.Add);
        var (positions, indexLength, isWithoutLock) = LookUnderLock(hasIndex);
        FindUnfinishedRedaction();
        FindForeignFiles();
        var keys = new KeysCheck(folder, new KeyFolder(folder, keysFolder ?? layout.Keys, lockTimeout), findings.Add);
        keys.Begin();
        if (storeFile is null && !isBad && positions.Count > 0)
            FindMissingStoreFile();
        var note = ReplicaFile.Find(fileSystem, layout, storeFile);
        if (note is { IsDamaged: true })
        {
            findings.Add(StoreFinding.Of(FindingKind.BadStoreFile, layout.ReplicaFile,
                note.InWords(root, storeFile).TrimEnd('.'), Remedy.FollowAgain));
        }
        var isWithoutIndex = HasNoIndex();
        using var remedies = new RemedyChoice(folder, hasIndex, eventFiles, positions);
        if (!folder.HasEvents)
        {
            findings.Add(StoreFinding.Of(FindingKind.Gap, layout.Events, $"{layout.Events} is missing, with all event files",
                remedies.OfLostFolder()));
        }
        using var index = hasIndex && !isWithoutIndex && folder.HasEvents
            ? IndexComparison.Open(folder, indexFile, indexLength, findings.Add)
            : null;
        CheckEvents(positions, index, remedies, keys, progress, cancellationToken);
        if (index is not null)
            new RunsCheck(folder, findings.Add).Run(cancellationToken);
        foreach (var (finding, first, last) in undecided)
            findings[finding] = findings[finding] with { Remedy = remedies.Of(first, last) };
        new SealedFilesCheck(folder, eventFiles, findings).Run(cancellationToken);
        new ProofComparison(folder, eventFiles, findings.Add).Run(checkpoint, wholeUpTo, positions.Count == 0 ? 0 : positions[^1], cancellationToken);
        // Not a store in whose place another was promoted.
        var isReplica = note is not null && (storeFile is null || note.Term == storeFile.Term);
        if (isReplica)
            Advise(note!);
        return new StoreCheckReport
        {
            Events = positions.Count,
            Findings = findings,
            WholeUpTo = wholeUpTo,
            KeysProblem = keys.Finish(isReplica),
            Redacted = redacted,
            RedactedCount = redactedCount,
            IsWithoutLock = isWithoutLock,
            IsWithoutIndex = isWithoutIndex,
            Quarantine = Quarantine.Find(fileSystem, layout),
        };
    }

    // A replica is not repaired: its store has the same events.
    private void Advise(ReplicaFile replica)
    {
        for (var at = 0; at < findings.Count; at++)
        {
            findings[at] = findings[at].Remedy switch
            {
                Remedy.RestoreFromIndex or Remedy.AcceptEditedFile or Remedy.RestoreFromFolder =>
                    Advise(findings[at], ReplicaFile.Mending, Remedy.MoveAway),
                Remedy.RebuildIndex => Advise(findings[at], ReplicaFile.MendingIndex, Remedy.MoveAway),
                Remedy.OpenStore => Advise(findings[at], ReplicaFile.Following, Remedy.FollowAgain),
                _ => findings[at],
            };
        }

        StoreFinding Advise(StoreFinding finding, string advice, Remedy remedy) => finding with
        {
            Message = $"{finding.Message}; {root} is a replica of {replica.Source}: {advice}",
            Remedy = remedy,
        };
    }

    private StoreFile? ReadStoreFile(out bool isBad)
    {
        isBad = false;
        try
        {
            var read = folder.TryRead(out var problem);
            if (problem is not null)
                FindBadStoreFile(problem, ref isBad);
            return read;
        }
        catch (FileSystemException e) when (e.OtherKind is { } kind)
        {
            FindBadStoreFile(kind, ref isBad);
            return null;
        }
    }

    private void FindBadStoreFile(string problem, ref bool isBad)
    {
        isBad = true;
        findings.Add(StoreFinding.Of(FindingKind.BadStoreFile, layout.StoreFile,
            $"{layout.StoreFile} {problem}; {WrittenAgain} after it is moved away", Remedy.MoveAway));
    }

    // The term of a promotion is nowhere else in the folder.
    private string WrittenAgain => ReplicaFile.Find(fileSystem, layout, storeFile: null) is not null
        ? "following into the folder again writes it again"
        : "the next open writes it again (a store that was promoted then lacks its term until its replica follows it again)";

    // A folder with foreign files is not opened without its store.json.
    private void FindMissingStoreFile()
    {
        var foreign = StoreLayout.FindForeignName(fileSystem.List(root));
        findings.Add(foreign is null
            ? StoreFinding.Of(FindingKind.StoreFileMissing, layout.StoreFile,
                $"{layout.StoreFile} is missing; {WrittenAgain}", Remedy.OpenStore)
            : StoreFinding.Of(FindingKind.StoreFileMissing, FilePath.Join(root, foreign),
                $"{layout.StoreFile} is missing; {WrittenAgain} after \"{foreign}\" is moved away",
                Remedy.MoveAway));
    }

    // Under the lock no append is under way: every append on disk must be whole.
    private (List<long> Positions, long IndexLength, bool IsWithoutLock) LookUnderLock(bool hasIndex)
    {
        if (fileSystem.GetKind(layout.Events) != EntryKind.Folder)
            return ([], 0, true);
        if (fileSystem.GetKind(layout.LockFile) != EntryKind.File)
            return Look(hasIndex, isWithoutLock: true);
        try
        {
            using var storeLock = new StoreLock(folder, TimeProvider.System);
            // Before the lock is taken, or appends would wait until all folders are listed.
            var (settled, upTo) = ListSettled(hasIndex);
            using var held = storeLock.Acquire(lockTimeout);
            var (later, indexLength, isWithoutLock) = Look(hasIndex, isWithoutLock: false, upTo);
            return ([.. settled, .. later], indexLength, isWithoutLock);
        }
        catch (FileSystemException e) when (e.Error == FileError.ReadOnly)
        {
            // No process appends on read-only media. One that appends through another mount may be in the middle of an append.
            return Look(hasIndex, isWithoutLock: true);
        }
        catch (FileSystemException e) when (e.Error == FileError.AccessDenied)
        {
            return LookBesideOthers(hasIndex);
        }
        catch (FileSystemException e) when (e.Path == layout.LockFile && e.OtherKind is { } problem)
        {
            findings.Add(StoreFinding.Of(FindingKind.ForeignFile, layout.LockFile,
                $"{layout.LockFile} {problem}", Remedy.MoveAway));
            return LookBesideOthers(hasIndex);
        }
    }

    private (List<long> Positions, long IndexLength, bool IsWithoutLock) Look(bool hasIndex, bool isWithoutLock, long after = 0)
    {
        FindBadSegment();
        OpenIndex(hasIndex);
        FindRulesNotTakenIn();
        return (eventFiles.Listing.After(after), indexFile?.GetLength() ?? 0, isWithoutLock);
    }

    // The events up to the head of the index: no append under way has one of them.
    private (List<long> Positions, long UpTo) ListSettled(bool hasIndex)
    {
        var upTo = 0L;
        using (var index = hasIndex ? EventIndex.TryFollow(folder) : null)
            upTo = index?.Head ?? 0;
        if (upTo == 0)
            return ([], 0);
        var positions = eventFiles.Listing.After(0);
        positions.RemoveAll(position => position > upTo);
        return (positions, upTo);
    }

    // Without an index there is nothing to compare: it is made of the files.
    private void FindRulesNotTakenIn()
    {
        var rules = TagRuleFiles.TryRead(fileSystem, layout, out var problems);
        foreach (var (path, problem) in problems)
            findings.Add(StoreFinding.Of(FindingKind.ForeignFile, path, problem, Remedy.MoveAway));
        if (rules is null || indexFile is null || IndexHeader.FindRules(indexFile, folder.Id!.Value) is not { } used || used.IsSameAs(rules))
            return;
        findings.Add(StoreFinding.Of(FindingKind.IndexMismatch, layout.Rules,
            $"the index has other tag rules than {layout.Rules}: files were changed by hand, or a change was interrupted; the next open takes the "
                + "files in", folder.Volume.CachesIgnoreLocks ? Remedy.RebuildIndex : Remedy.OpenStore));
    }

    private void FindBadSegment()
    {
        if (eventFiles.Ahead.FindDamage() is var (path, position, problem))
        {
            findings.Add(StoreFinding.Of(FindingKind.BadSegment, path,
                $"{path} {problem}; restore the event's file from a backup, or end the store before it",
                Remedy.RestoreFromFolder, position));
        }
    }

    // An append may be under way. What the index names is whole.
    private (List<long> Positions, long IndexLength, bool IsWithoutLock) LookBesideOthers(bool hasIndex)
    {
        OpenIndex(hasIndex);
        // The index before the list, which could otherwise miss files that the index names.
        using var index = hasIndex ? EventIndex.TryFollow(folder) : null;
        var positions = eventFiles.Listing.After(0);
        if (index is null)
            return (positions, indexFile?.GetLength() ?? 0, true);
        positions.RemoveAll(position => position > index.Head);
        return (positions, index.End, true);
    }

    // Something that is not a file in the place of an index file is a finding; the rest is checked without the index.
    private bool HasStrangeIndex() => IsStrange(layout.IndexFile)
        || Segments.List(folder).Any(each => IsStrange(each.Path));

    // As in a backup and in a store that was just restored.
    private bool HasNoIndex() => fileSystem.GetKind(layout.Index) == EntryKind.Missing
        || (fileSystem.GetKind(layout.Index) == EntryKind.Folder && fileSystem.List(layout.Index).TrueForAll(StoreLayout.IsHarmlessName)
            && Segments.List(folder).Count == 0);

    private bool IsStrange(string path)
    {
        try
        {
            fileSystem.Open(path, FileOpening.Read)?.Dispose();
            return false;
        }
        catch (FileSystemException e) when (e.OtherKind is { } problem)
        {
            findings.Add(StoreFinding.Of(FindingKind.ForeignFile, path, $"{path} {problem}", Remedy.MoveAway));
            return true;
        }
    }

    // The rest is checked without it, so the events of its folder are missing.
    private void FindStrangeSealedFiles()
    {
        foreach (var name in folder.HasEvents ? fileSystem.List(layout.Events) : [])
        {
            if (layout.TryParseSealedFileName(name, out var shard) && IsStrange(layout.SealedFile(shard)))
                eventFiles.Sealed.Ignore(shard);
        }
    }

    private void OpenIndex(bool hasIndex)
    {
        indexFile?.Dispose();
        indexFile = hasIndex ? fileSystem.Open(layout.IndexFile, FileOpening.Read) : null;
    }

    private void CheckEvents(List<long> positions, IndexComparison? index, RemedyChoice remedies, KeysCheck keys,
        IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
    {
        var commit = new List<StoredEvent>();
        var expected = 1L;
        for (var done = 0; done < positions.Count;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            foreach (var reading in eventFiles.Batches.Read(positions, done, eventFiles.ReadOrProblem))
            {
                var position = positions[done++];
                if (position != expected)
                {
                    Find(FindingKind.Gap, expected, (expected, position - 1), position == expected + 1
                        ? $"position {expected} has no event file"
                        : $"positions {expected} to {position - 1} have no event files");
                    EndCommit(commit, index, isBroken: true);
                    index?.LoseTrack();
                }
                if (reading.Stored is { } stored)
                {
                    remedies.Note(stored);
                    keys.Note(stored);
                }
                CheckEvent(position, reading, commit, index);
                expected = position + 1;
            }
            progress.Report(StoreOperation.Check, done, positions.Count);
        }
        EndCommit(commit, index, isBroken: commit.Count > 0);
        index?.CheckEnd(expected - 1, remedies);
    }

    private void CheckEvent(long position, EventFileReading reading, List<StoredEvent> commit, IndexComparison? index)
    {
        if (reading.Stored is not { } stored)
        {
            Find(reading.IsOutOfReach
                ? FindingKind.UnreadableFile
                : FindingKind.BadEventFile, position, (position, position), $"{eventFiles.PathOf(position)} {reading.Problem}");
            EndCommit(commit, index, isBroken: commit.Count > 0);
            index?.LoseTrack();
            return;
        }
        if (RedactionRecord.Read(stored.Content.Metadata) is not null && redactedCount++ < NamedRedactionsMax)
            redacted.Add(position);
        if (commit.Count > 0 && !stored.IsOfSameAppend(commit[0]))
            EndCommit(commit, index, isBroken: true);
        if (commit.Count == 0 && stored.Commit.First != position && !IsExplained(findings.LastOrDefault()))
        {
            Find(FindingKind.IncompleteCommit, position, (stored.Commit.First, stored.Commit.Last),
                $"the event at position {position} belongs to the append of positions {stored.Commit.First} to {stored.Commit.Last}, but the "
                    + "events before it do not");
        }
        commit.Add(stored);
        if (position == stored.Commit.Last)
            EndCommit(commit, index, isBroken: commit.Count != stored.Commit.Count);
    }

    // Whether the append's first events are missing because of what was found before.
    private static bool IsExplained(StoreFinding? last) => last is
    {
        Kind: FindingKind.Gap or FindingKind.BadEventFile or FindingKind.UnreadableFile or FindingKind.IncompleteCommit,
    };

    private void EndCommit(List<StoredEvent> commit, IndexComparison? index, bool isBroken)
    {
        if (commit.Count == 0)
            return;
        if (isBroken)
        {
            var range = commit[0].Commit;
            Find(FindingKind.IncompleteCommit, commit[^1].Position, (range.First, range.Last),
                $"the append of positions {range.First} to {range.Last} is incomplete: of its events only those at {commit[0].Position} to "
                    + $"{commit[^1].Position} are there and valid");
            index?.LoseTrack();
        }
        else
        {
            index?.CheckFrame(commit);
            if (undecided.Count == 0)
                wholeUpTo = commit[^1].Position;
        }
        commit.Clear();
    }

    private void FindUnfinishedRedaction()
    {
        if (fileSystem.GetKind(layout.RedactionFile) != EntryKind.Missing)
        {
            findings.Add(StoreFinding.Of(FindingKind.UnfinishedRedaction, layout.RedactionFile,
                $"a redaction was interrupted; {layout.RedactionFile} says which one, and some files may still have the old text",
                Remedy.FinishRedaction));
        }
    }

    private void FindForeignFiles()
    {
        foreach (var name in fileSystem.List(root))
        {
            if (!StoreLayout.IsOwnName(name))
                FindForeign(FilePath.Join(root, name));
        }
        foreach (var name in fileSystem.ListIfThere(layout.Index))
        {
            var path = FilePath.Join(layout.Index, name);
            if (path != layout.IndexFile && path != layout.IndexFileStaging && !StoreLayout.IsRunFileStaging(name)
                && !StoreLayout.TryParseRunName(name, out _, out _))
            {
                FindForeign(path);
            }
        }
        foreach (var name in fileSystem.ListIfThere(layout.Log))
        {
            if (!layout.TryParseSealedFileName(name, out _))
                FindForeign(FilePath.Join(layout.Log, name));
        }
        foreach (var path in eventFiles.Listing.FindStrangers())
            FindForeign(path);
    }

    private void FindForeign(string path)
    {
        if (!StoreLayout.IsHarmlessName(Path.GetFileName(path)))
        {
            findings.Add(StoreFinding.Of(FindingKind.ForeignFile, path,
                $"{path} is not part of a store", Remedy.MoveAway));
        }
    }

    // The remedy is chosen after all events have been read, because it depends on what they prove.
    private void Find(FindingKind kind, long position, (long First, long Last) concerned, string message)
    {
        undecided.Add((findings.Count, concerned.First, concerned.Last));
        findings.Add(StoreFinding.Of(kind, eventFiles.PathOf(position), message, Remedy.RestoreFromFolder, position));
    }
}
