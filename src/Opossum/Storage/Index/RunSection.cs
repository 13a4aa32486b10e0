namespace Opossum.Storage.Index;

/// <summary>A section of a run that is being written: bytes that follow each other through its pages.</summary>
/// <param name="seed">Where the CRC of the pages begins.</param>
internal sealed class RunSection(int firstPage, uint seed, RunOutput output)
{
    private readonly byte[] page = new byte[RunPage.Length];
    private int pagesWritten;
    private int used;

    /// <summary>The number of bytes.</summary>
    public long Length => pagesWritten * (long)RunPage.ContentLength + used;

    public void Append(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            if (used == RunPage.ContentLength)
                WritePage();
            var part = bytes[..Math.Min(bytes.Length, RunPage.ContentLength - used)];
            part.CopyTo(page.AsSpan(used));
            used += part.Length;
            bytes = bytes[part.Length..];
        }
    }

    /// <summary>Adds a record that does not cross the end of a page.</summary>
    public void AppendRecord(ReadOnlySpan<byte> record)
    {
        if (RunPage.ContentLength - used < record.Length)
            WritePage();
        Append(record);
    }

    /// <summary>Writes the last page.</summary>
    public void Close()
    {
        if (used > 0)
            WritePage();
    }

    private void WritePage()
    {
        page.AsSpan(used..RunPage.ContentLength).Clear();
        var number = firstPage + pagesWritten++;
        RunPage.Close(page, seed, number);
        output(page, number * (long)RunPage.Length);
        used = 0;
    }
}
