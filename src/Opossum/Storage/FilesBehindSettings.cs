namespace Opossum.Storage;

/// <summary>How far event files may lag the lines of the log, where these are written first. Tests use smaller sizes.</summary>
internal sealed record FilesBehindSettings
{
    /// <summary>The bytes of a segment that are filled with line feeds ahead: overwriting them changes none of the file system's own data.</summary>
    public int FilledAhead { get; init; } = 1024 * 1024;

    /// <summary>The number of events without files at which an append waits until they have.</summary>
    public int EventsMax { get; init; } = 50_000;

    /// <summary>The bytes of lines whose events have no files at which an append waits until they have.</summary>
    public long BytesMax { get; init; } = 64 * 1024 * 1024;

    /// <summary>
    /// The number of event files that are written and made durable at a time. More would cost less each, and an append that is
    /// flushed meanwhile would wait longer.
    /// </summary>
    public int AtOnceMax { get; init; } = 1_000;

    /// <summary>The files of a group with more bytes of JSON are written first.</summary>
    public int GroupBytesMax { get; init; } = 16 * 1024 * 1024;
}
