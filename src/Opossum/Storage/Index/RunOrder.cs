namespace Opossum.Storage.Index;

/// <summary>The order of the names in a run: by hash; of those with the same hash tags before types, then by their bytes.</summary>
internal static class RunOrder
{
    public static int CompareTexts(bool isLeftType, ReadOnlySpan<byte> left, bool isRightType, ReadOnlySpan<byte> right) =>
        isLeftType == isRightType ? left.SequenceCompareTo(right) : isLeftType.CompareTo(isRightType);

    public static int Compare(RunScan left, RunScan right)
    {
        var byHash = left.Hash.CompareTo(right.Hash);
        return byHash != 0 ? byHash : CompareTexts(left.Place.TypeNumber >= 0, left.Text, right.Place.TypeNumber >= 0, right.Text);
    }
}
