namespace CarDealership;

/// <summary>The order of the list.</summary>
public enum CarSort
{
    /// <summary>The cheapest first.</summary>
    Price,

    /// <summary>By name.</summary>
    Model,

    /// <summary>The newest first.</summary>
    Year,
}
