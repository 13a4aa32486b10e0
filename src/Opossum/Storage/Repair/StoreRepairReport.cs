namespace Opossum;

/// <summary>What a repair did.</summary>
/// <param name="Done">What was done, in words.</param>
/// <param name="Head">The last position of the store, as its index has it now.</param>
/// <param name="Restored">The positions whose event files were made again, put back or accepted, ascending.</param>
/// <param name="SetAside">The positions of the files that were put into <paramref name="QuarantineFolder"/>, ascending.</param>
/// <param name="QuarantineFolder">Where what was replaced or cut off lies; null: nothing was.</param>
/// <param name="Remaining">What was met that is still wrong, in words; null: nothing. A check tells all.</param>
public sealed record StoreRepairReport(string Done, long Head, IReadOnlyList<long> Restored, IReadOnlyList<long> SetAside, string? QuarantineFolder, string? Remaining)
{
    /// <summary>The report as text.</summary>
    public override string ToString() => Remaining is null ? Done : $"{Done} Still wrong: {Remaining}";
}
