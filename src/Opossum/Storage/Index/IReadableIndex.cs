namespace Opossum.Storage.Index;

/// <summary>The index as readers use it: one that this process appends to, or one that it only follows.</summary>
internal interface IReadableIndex : IDisposable
{
    /// <summary>The last view taken; reads nothing from the disk.</summary>
    IndexView Published { get; }

    /// <summary>Takes a view of everything committed so far.</summary>
    /// <param name="pastCache">Whether to read past the cache: this machine's view of a share may be stale.</param>
    IndexView TakeView(bool pastCache = false);

    /// <summary>Records that the line of a position does not match the index.</summary>
    void NoteDamagedLine(long position);
}
