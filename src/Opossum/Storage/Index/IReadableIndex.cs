namespace Opossum.Storage.Index;

/// <summary>The index as readers have it: one that this process appends to, or one that it only follows.</summary>
internal interface IReadableIndex : IDisposable
{
    /// <summary>The view that was last taken. Nothing is read from the disk.</summary>
    IndexView Published { get; }

    /// <summary>Takes a view of all that is committed by now.</summary>
    IndexView TakeView();

    /// <summary>Notes that the packed copy of a position is not what the index says.</summary>
    void NoteDamagedCopy(long position);
}
