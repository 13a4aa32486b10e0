namespace Opossum.Storage;

/// <summary>The sizes of the journal. Tests use smaller ones.</summary>
internal sealed record JournalSettings
{
    /// <summary>
    /// The length with which a file is created, filled with line feeds: overwriting them changes none of the file system's own data.
    /// </summary>
    public int FileLength { get; init; } = 1024 * 1024;

    /// <summary>A file that had to grow beyond this is shortened when it is emptied.</summary>
    public int FileLengthKept { get; init; } = 8 * 1024 * 1024;

    /// <summary>With so many events in the journal, an append waits until they have event files.</summary>
    public int EventsMax { get; init; } = 50_000;

    /// <summary>With so many bytes in the journal, an append waits until its events have event files.</summary>
    public long BytesMax { get; init; } = 64 * 1024 * 1024;

    /// <summary>So many event files are written and flushed before the journal is emptied of their events.</summary>
    public int BacklogMax { get; init; } = 10_000;

    /// <summary>A group with more bytes of JSON is written as event files at once.</summary>
    public int GroupBytesMax { get; init; } = 16 * 1024 * 1024;
}
