using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Opossum.FileSystem;

namespace Opossum.Following;

/// <summary>What following a store's log needs of the store.</summary>
/// <param name="Folder">The folder that holds a folder for each thing that is led.</param>
/// <param name="ThrowIfMoved">
/// Throws a <see cref="FileSystemException"/> when the store's folder is no longer the folder that was opened; never on a share.
/// </param>
/// <param name="CanWrite">Whether the store is open for writing. If not, this process leads nothing.</param>
internal record FollowerHost(IEventStore Store, IFileSystem FileSystem, Volume Volume, string StoreRoot, string Folder,
    TimeProvider Clock, ILogger Logger, Action ThrowIfMoved, bool CanWrite)
{
    /// <summary>Stands for a text that may have the data of a person who was forgotten.</summary>
    public const string NotKept = "The text is not kept: a person was forgotten since it was made.";

    private const int LoggedMax = 10_000;

    private static readonly TimeSpan loggedInterval = TimeSpan.FromDays(1);

    private readonly ConcurrentDictionary<string, long> logged = new(StringComparer.Ordinal);

    /// <summary>
    /// Whether an error is one of this process, and no event and no state is to blame: a folder of keys cannot be reached or written, or a newer
    /// version of the app, whose processes can read it, has written the event.
    /// </summary>
    public static bool IsOfThisProcess(Exception? error) =>
        Find(error, static each => each is PersonalDataException { InnerException: FileSystemException }) is not null || FindNewer(error) is not null;

    /// <summary>The cause of an error that says that a newer version of the app has written an event; null: there is none.</summary>
    public static EventDataException? FindNewer(Exception? error) =>
        (EventDataException?)Find(error, static each => each is EventDataException { IsOfNewerVersion: true });

    /// <summary>The store's id; null if its file is missing.</summary>
    public Guid? StoreId { get; init; }

    /// <summary>
    /// Makes the events up to a position durable, where a process appends without flushing: before anything durable is built on them.
    /// </summary>
    public Action<long> MakeDurable { get; init; } = static _ => { };

    /// <summary>The last position that this process knows.</summary>
    public Func<long> KnownHead { get; init; } = static () => 0;

    /// <summary>Learns of all events, past the cache of a share.</summary>
    public Action CatchUp { get; init; } = static () => { };

    /// <summary>Whether a person was forgotten after a position: then earlier errors may have the data.</summary>
    public Func<long, bool> HasForgottenAfter { get; init; } = static _ => false;

    /// <summary>
    /// Throws a <see cref="PersonalDataException"/> if an event reads as it does only because the master key or the store's keys are not there.
    /// </summary>
    public Action<SequencedEvent> ThrowIfKeysAreMissing { get; init; } = static _ => { };

    /// <summary>Throws an <see cref="ObjectDisposedException"/> once the store is being closed.</summary>
    public Action ThrowIfClosed { get; init; } = static () => { };

    /// <summary>Throws an <see cref="ObjectDisposedException"/> if this process was to run what has a name, and will not.</summary>
    public Action<string> ThrowIfGivenUp { get; init; } = static _ => { };

    /// <summary>How often a process that does not lead tries to take the lead, and a leader looks for requests.</summary>
    public TimeSpan TakeOverInterval { get; init; }

    /// <summary>How often a caller looks what other processes have done, and the pause after the first problem.</summary>
    public TimeSpan PollInterval { get; init; }

    /// <summary>Whether a problem that stays until somebody solves it was not logged for a day; each term meets it again.</summary>
    public bool IsNew(string problem)
    {
        var now = Clock.GetTimestamp();
        if (logged.Count > LoggedMax)
            logged.Clear();
        return logged.TryAdd(problem, now)
            || (logged.TryGetValue(problem, out var at) && Clock.GetElapsedTime(at) > loggedInterval && logged.TryUpdate(problem, now, at));
    }

    /// <summary>Whether trouble is to be logged: what may pass always, and a damaged event once a day.</summary>
    public bool MustLog(string follower, Exception trouble) =>
        trouble is not StoreDamagedException || IsNew($"{follower} {trouble.Message}");

    /// <summary>Writes a file with texts that may have a person's data.</summary>
    /// <param name="head">The last position that was known when the texts were made.</param>
    /// <param name="write">Writes it, with the texts or without them; it may be called twice.</param>
    public void WriteTexts(long head, Action<bool> write)
    {
        var keepsTexts = !MustForgetSince(head);
        write(keepsTexts);
        // Order matters: a person forgotten before the file was there was looked for in vain, and the texts would stay.
        if (keepsTexts && MustForgetSince(head))
            write(false);
    }

    /// <summary>As <see cref="HasForgottenAfter"/>, past the cache of a share: another machine may have forgotten a person.</summary>
    public bool MustForgetSince(long head)
    {
        CatchUp();
        return HasForgottenAfter(head);
    }

    private static Exception? Find(Exception? error, Predicate<Exception> isMeant)
    {
        while (error is not null && !isMeant(error))
            error = error.InnerException;
        return error;
    }
}
