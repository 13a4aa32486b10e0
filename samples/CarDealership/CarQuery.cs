using System.Globalization;
using Microsoft.AspNetCore.WebUtilities;

namespace CarDealership;

/// <summary>What the address of the list asks for.</summary>
/// <param name="Model">A part of the model's name; null or empty: every model.</param>
/// <param name="MaxPrice">The highest price; null: any.</param>
/// <param name="Sort">The order; null: by price.</param>
/// <param name="Page">The page, from 1; null: the first.</param>
public sealed record CarQuery(string? Model, string? MaxPrice, CarSort? Sort, int? Page)
{
    /// <summary>Null: any price. A form that was not filled in sends an empty text, which is no number.</summary>
    public double? PriceUpTo =>
        double.TryParse(MaxPrice, NumberStyles.Float, CultureInfo.InvariantCulture, out var price) ? price : null;

    public int PageNumber => Math.Max(1, Page ?? 1);

    /// <summary>The address that asks for this.</summary>
    public string Address => QueryHelpers.AddQueryString("/", new Dictionary<string, string?>
    {
        ["model"] = Model,
        ["maxPrice"] = MaxPrice,
        ["sort"] = Sort?.ToString(),
        ["page"] = PageNumber.ToString(CultureInfo.InvariantCulture),
    });
}
