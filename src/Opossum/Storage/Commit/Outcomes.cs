using Microsoft.Extensions.Logging;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Storage.Failures;

namespace Opossum.Storage.Commit;

/// <summary>Decides the outcome of each append of a failed group, and whether the store accepts further appends.</summary>
/// <param name="faulted">Called when it accepts none, whether an append or work in the background has met the failure.</param>
internal sealed class Outcomes(StoreSettings settings, ILogger logger, Action? faulted)
{
    private Exception? fault;

    /// <summary>The failure that left the disk's state unknown, after which nothing is appended; null when there is none.</summary>
    public Exception? FaultedBy => Volatile.Read(ref fault);

    /// <exception cref="StoreFaultedException">An earlier append failed and left the disk's state unknown.</exception>
    public void ThrowIfFaulted()
    {
        if (FaultedBy is { } cause)
        {
            throw new StoreFaultedException(AppendOutcome.NothingWritten, "Nothing was written: the store accepts no appends until it is opened again"
                + $"{(IsGone(cause) ? "" : ", because an earlier one left the disk's state unknown")}. What failed: {cause.Message}", cause);
        }
    }

    public void End(Group group, Exception error)
    {
        switch (error)
        {
            case EventStoreException:
                group.Fail(_ => error, AppendOutcome.NothingWritten);
                return;
            case FileSystemException when IsGone(error):
                Fault(group, error, AppendOutcome.NothingWritten, "");
                return;
            case FileSystemException { Error: FileError.TooLong } e:
                group.Fail(_ => Refusal(e), AppendOutcome.NothingWritten);
                return;
            case FileSystemException e:
                group.Fail(_ => new StoreIOException(e.Path, $"Nothing was appended. {e.Message} {Advice(e)}", e), AppendOutcome.NothingWritten);
                return;
            case PublishFailedException:
                Fault(group, error, AppendOutcome.Stored,
                    $"The events are stored{(settings.Flush ? " and durable" : ", but not flushed yet")}, but the index could not be written; "
                        + "opening the store again rebuilds it from the events.");
                return;
            case LockLostException:
                Fault(group, error, AppendOutcome.Unknown,
                    "Another process took the store's lock while this one still held it, and may have set the events aside.");
                return;
            default:
                Fault(group, error, AppendOutcome.Unknown, "The events may not be durable, so it is not known whether they are stored.");
                return;
        }
    }

    // Thrown here: its stack says that the store has refused the append.
    private static ArgumentException Refusal(FileSystemException error)
    {
        try
        {
            throw new ArgumentException($"Nothing was appended. {error.Message} Append fewer events at a time, or remove the rule.", error);
        }
        catch (ArgumentException refused)
        {
            return refused;
        }
    }

    /// <summary>Records that events appended without flushing could not be made durable.</summary>
    public StoreFaultedException FaultBehind(Exception error)
    {
        Note(error);
        return NotDurable(error);
    }

    /// <summary>The error for events that were appended without flushing and could not be made durable.</summary>
    public static StoreFaultedException NotDurable(Exception error) => new(AppendOutcome.Unknown,
        "Events that were appended without flushing could not be made durable: a power cut may remove them. The store accepts no appends until "
            + $"it is opened again. What failed: {error.Message}", error);

    /// <summary>Records that event files of events that have lines could not be made durable.</summary>
    public StoreFaultedException FaultBehindLines(Exception error)
    {
        Note(error);
        return new StoreFaultedException(AppendOutcome.Stored,
            "Event files that follow their lines could not be made durable. The log keeps the events, and the next opening of the store "
                + $"writes their files again. The store accepts no appends until then. What failed: {error.Message}", error);
    }

    private void Fault(Group group, Exception error, AppendOutcome outcome, string what)
    {
        Note(error);
        group.Fail(each => new StoreFaultedException(each,
            $"{(each == AppendOutcome.NothingWritten ? "Nothing of this append was written." : what)} The store accepts no appends until it is "
                + $"opened again. What failed: {error.Message}", error), outcome);
    }

    /// <summary>Whether a retry cannot help: the store's folder, or one in it, no longer exists.</summary>
    public static bool IsGone(Exception error) =>
        error is FileSystemException { Error: FileError.Moved or FileError.NotFound or FileError.NotAFolder };

    private void Note(Exception error)
    {
        Volatile.Write(ref fault, error);
        StoreLog.Faulted(logger, error.Message, error);
        faulted?.Invoke();
    }

    private static string Advice(FileSystemException e) => e.Error switch
    {
        FileError.DiskFull => "Free some space; the store stays usable.",
        FileError.AccessDenied or FileError.ReadOnly => "Give this process the right to write there; the store stays usable.",
        FileError.TooManyOpenFiles => "Close files or raise the process's limit; the store stays usable.",
        FileError.InUse => $"{FileSystemException.InUseAdvice} The store stays usable; try again.",
        _ => "The store stays usable; try again.",
    };
}
