using Microsoft.Extensions.Logging;

namespace Opossum.Diagnostics;

/// <summary>What the store logs. The numbers never change their meaning.</summary>
internal static partial class StoreLog
{
    [LoggerMessage(1, LogLevel.Information, "Opened the store {Path} on {FileSystem} at position {Head}.")]
    public static partial void Opened(ILogger logger, string path, string fileSystem, long head);

    [LoggerMessage(2, LogLevel.Information, "Created a new store in {Path} on {FileSystem}.")]
    public static partial void Created(ILogger logger, string path, string fileSystem);

    [LoggerMessage(3, LogLevel.Information,
        "Added the events at positions {First} to {Last} to the index: they were stored, but missing from the index.")]
    public static partial void Adopted(ILogger logger, long first, long last);

    [LoggerMessage(4, LogLevel.Warning,
        "Moved the event files of {Positions} to {Folder}: an append was interrupted before it was acknowledged ({File} {Problem}).")]
    public static partial void SetAside(ILogger logger, string positions, string folder, string file, string problem);

    [LoggerMessage(5, LogLevel.Information, "Rebuilding the index from the event files: {Done} of {Expected}.")]
    public static partial void Rebuilding(ILogger logger, long done, long expected);

    [LoggerMessage(6, LogLevel.Warning, "The index of {Path} {Problem}; it is being rebuilt from the event files.")]
    public static partial void IndexNotUsable(ILogger logger, string path, string problem);

    [LoggerMessage(7, LogLevel.Error, "The store accepts no appends until it is opened again: {Reason}")]
    public static partial void Faulted(ILogger logger, string reason, Exception exception);

    [LoggerMessage(8, LogLevel.Warning,
        "The line of the event at position {Position} is damaged and could not be written again; the event file is read instead.")]
    public static partial void LineNotMended(ILogger logger, long position, Exception exception);

    [LoggerMessage(10, LogLevel.Information, "Opened the store {Path} on {FileSystem} for reading only, at position {Head}.")]
    public static partial void OpenedForReading(ILogger logger, string path, string fileSystem, long head);

    [LoggerMessage(11, LogLevel.Information,
        "The index of {Path} lacks {Events} events; they are indexed in memory, since the store is open for reading only.")]
    public static partial void IndexMadeInMemory(ILogger logger, string path, long events);

    [LoggerMessage(12, LogLevel.Warning,
        "Restored the event file of position {Position} from the index: after losing the store's lock, this process may have written to it.")]
    public static partial void MadeGood(ILogger logger, long position);

    [LoggerMessage(13, LogLevel.Error,
        "After losing the store's lock, this process may have written to the event files of positions {First} to {Last}, and they could not be "
            + "verified. Check the store.")]
    public static partial void NotMadeGood(ILogger logger, long first, long last, Exception exception);

    [LoggerMessage(14, LogLevel.Warning, "A progress callback failed and is not called again; the work continues.")]
    public static partial void ProgressFailed(ILogger logger, Exception exception);

    [LoggerMessage(15, LogLevel.Warning,
        "The store {Path} may be used on this machine only: its file system {FileSystem} keeps locks on this machine, so they do not exclude "
            + "other machines.")]
    public static partial void LocksStayHere(ILogger logger, string path, string fileSystem);

    [LoggerMessage(16, LogLevel.Warning,
        "A query, a condition or a tag rule names the event type {EventType}, which is not registered, and the store {Path} contains no event of "
            + "that type. A mistyped name matches nothing.")]
    public static partial void UnknownEventType(ILogger logger, string eventType, string path);

    [LoggerMessage(45, LogLevel.Warning,
        "A decision appends the event {Id} of the type {EventType} to {Path}, and reads events of this type by {Item}, which does not match it: the "
            + "next such decision does not see the event. Give the event the tags, or read it by the tags that it has.")]
    public static partial void TagForgotten(ILogger logger, Guid id, string eventType, string path, QueryItem item);

    [LoggerMessage(17, LogLevel.Warning, "Reopened the store {Path}, which accepted no more appends: {Fault}")]
    public static partial void Reopened(ILogger logger, string path, string fault);

    [LoggerMessage(18, LogLevel.Warning, "The store {Path} could not be reopened: attempt {Attempt} of {MaxAttempts} failed.")]
    public static partial void NotReopened(ILogger logger, string path, int attempt, int maxAttempts, Exception exception);

    [LoggerMessage(19, LogLevel.Error,
        "The store {Path} accepts no appends until the app is restarted; it will not be reopened before that. {Reason}")]
    public static partial void ReopeningGivenUp(ILogger logger, string path, string reason);

    [LoggerMessage(20, LogLevel.Error,
        "The former opening of a reopened store could not be closed in order: events appended without flushing may be lost.")]
    public static partial void NotClosed(ILogger logger, Exception exception);

    [LoggerMessage(21, LogLevel.Error, "The store {Path} could not be closed in order: events appended without flushing may be lost.")]
    public static partial void NotClosedOnDemand(ILogger logger, string path, Exception exception);

    [LoggerMessage(30, LogLevel.Error, "The proof of the history of {Path} is not being kept up to date; appends continue. {Problem}")]
    public static partial void ProofNotKept(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(31, LogLevel.Error, "A witness did not receive the checkpoint of {Path}. {Problem}")]
    public static partial void WitnessNotWritten(ILogger logger, string path, string problem);

    [LoggerMessage(33, LogLevel.Warning,
        "The store {Path} has personal data and was opened without a master key: the data reads as if every person were forgotten. Set "
            + "PersonalData.MasterKeyFile.")]
    public static partial void OpenedWithoutMasterKey(ILogger logger, string path);

    [LoggerMessage(43, LogLevel.Error, "The personal data of the store {Path} cannot be read. {Problem}")]
    public static partial void KeysMissing(ILogger logger, string path, string problem);

    [LoggerMessage(34, LogLevel.Debug, "Made a run of the index of {Path}: positions {First} to {Last}.")]
    public static partial void RunMade(ILogger logger, string path, long first, long last);

    [LoggerMessage(35, LogLevel.Warning, "{Path} is damaged; it is made again of the index file. Nothing is lost.")]
    public static partial void RunDamaged(ILogger logger, string path);

    [LoggerMessage(54, LogLevel.Warning,
        "The opening takes in the tag rules in {Path} once another process has made its part of the index. {Problem}")]
    public static partial void WaitingForRules(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(53, LogLevel.Warning, "{Path} cannot be read; the store uses the index file in its place. Nothing is lost. {Problem}")]
    public static partial void RunNotRead(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(36, LogLevel.Warning, "A run of the index could not be written to {Path}; the store continues without it. {Problem}")]
    public static partial void RunNotWritten(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(37, LogLevel.Information, "{Path} is not needed any more and could not be deleted; it will be tried again. {Problem}")]
    public static partial void RunNotDeleted(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(38, LogLevel.Warning,
        "Event files that follow their events were not written or not flushed. Nothing is lost; it is tried again in a second.")]
    public static partial void FilesNotBroughtUp(ILogger logger, Exception exception);

    [LoggerMessage(39, LogLevel.Information, "Wrote the event files of {Events} events that had only lines in the log of the store {Path}.")]
    public static partial void FilesBroughtUp(ILogger logger, string path, int events);

    [LoggerMessage(41, LogLevel.Information, "Sealed {Folders} folders of the store {Path}, with {Events} events.")]
    public static partial void Sealed(ILogger logger, long folders, string path, long events);

    [LoggerMessage(42, LogLevel.Warning,
        "Folders of the store {Path} were not sealed. Nothing is lost; it is tried again later, and when the next folder is full. {Problem}")]
    public static partial void NotSealed(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(44, LogLevel.Warning,
        "The host stops without waiting any longer for the store {Path}: {Left}. The next start handles again what is not completed by then.")]
    public static partial void NotStopped(ILogger logger, string path, string left);

    [LoggerMessage(46, LogLevel.Information, "The replica {Path} follows the store {Store} from position {Head} on.")]
    public static partial void ReplicaFollows(ILogger logger, string path, string store, long head);

    [LoggerMessage(47, LogLevel.Warning, "The replica {Path} does not follow the store {Store}, or not with all of it; it is tried again. {Problem}")]
    public static partial void ReplicaWaits(ILogger logger, string path, string store, string problem);

    [LoggerMessage(48, LogLevel.Error, "The replica {Path} does not follow the store {Store} any more. {Problem}")]
    public static partial void ReplicaEnded(ILogger logger, string path, string store, string problem);

    [LoggerMessage(49, LogLevel.Information,
        "The files in {Rules} have other tag rules than the index: it is made again, which reads all events once.")]
    public static partial void TakingRulesIn(ILogger logger, string rules);

    [LoggerMessage(50, LogLevel.Warning, "Tag rules of the store {Path} give no tags, or some still do. {Problem}")]
    public static partial void RulesNotTakenIn(ILogger logger, string path, string problem);

    [LoggerMessage(51, LogLevel.Warning,
        "This app cannot read all events of the type {EventType} in {Path}, as {Schema} describes them. {Misfits}")]
    public static partial void SchemaDiffers(ILogger logger, string eventType, string path, string schema, string misfits);

    [LoggerMessage(52, LogLevel.Warning,
        "The schemas of event types in {Path} could not be read or written; the store works without them. {Problem}")]
    public static partial void SchemasNotKept(ILogger logger, string path, string problem, Exception exception);

    [LoggerMessage(40, LogLevel.Warning,
        "A redaction of the store {Path} was interrupted: some files may still have the old text. StoreRepair.FinishRedactionAsync finishes it.")]
    public static partial void RedactionUnfinished(ILogger logger, string path);
}
