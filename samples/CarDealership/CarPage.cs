using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;

namespace CarDealership;

/// <summary>The list as a page, without a script.</summary>
internal static class CarPage
{
    public static IResult Show(CarQuery query, IReadOnlyList<CarRow> cars, int count)
    {
        var rows = new StringBuilder();
        foreach (var car in cars)
            rows.Append(CultureInfo.InvariantCulture, $"<tr><td>{Text(car.Model)}</td><td>{car.Year}</td><td>{car.Price:N0} €</td></tr>\n");
        return Results.Content($"""
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Cars for sale</title>
            <h1>Cars for sale</h1>
            <form>
            <label>Model <input name="model" value="{Text(query.Model ?? "")}"></label>
            <label>Price up to <input name="maxPrice" type="number" value="{Text(query.MaxPrice ?? "")}"></label>
            <input type="hidden" name="sort" value="{query.Sort ?? CarSort.Price}">
            <button>Search</button>
            </form>
            <p id="count">{(count == 1 ? "1 car" : $"{count} cars")}</p>
            <table>
            <thead><tr>{Heading(query, CarSort.Model)}{Heading(query, CarSort.Year)}{Heading(query, CarSort.Price)}</tr></thead>
            <tbody>
            {rows}</tbody>
            </table>
            <nav>{Link(query, query.PageNumber - 1, "Back", count)} {Link(query, query.PageNumber + 1, "Next", count)}</nav>
            </html>
            """, "text/html; charset=utf-8");
    }

    private static string Heading(CarQuery query, CarSort sort) =>
        $"<th><a href=\"{Text((query with { Sort = sort, Page = 1 }).Address)}\">{sort}</a></th>";

    private static string Link(CarQuery query, int page, string text, int count) =>
        page < 1 || (page - 1) * CarList.RowsAPage >= count ? ""
            : $"<a href=\"{Text((query with { Page = page }).Address)}\">{text}</a>";

    private static string Text(string text) => HtmlEncoder.Default.Encode(text);
}
