namespace Opossum.Storage.Log;

/// <summary>Says where lines lie among all lines: the index does.</summary>
internal interface ILinePlaces
{
    /// <summary>The last position.</summary>
    int Head { get; }

    long LineStart(long position);

    /// <summary>Where the line of the position ends, after its line feed; for 0, where the first one begins.</summary>
    long LineEnd(long position);
}
