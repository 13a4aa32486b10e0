namespace Opossum.AspNetCore.Pages;

/// <summary>A button that asks the leading process for something, where the app allows it.</summary>
internal static class ActionForm
{
    public const string PositionField = "position";
    public const string ReasonField = "reason";

    private const int ReasonLengthMax = 4_000;

    /// <summary>Adds a form of one button.</summary>
    /// <param name="path">The path that the form is sent to, from the folder of the pages.</param>
    /// <param name="position">The position that it is about; null: it is about none.</param>
    public static void Add(Html html, PageRequest page, string path, string button, long? position = null, bool asksWhy = false)
    {
        if (!page.AllowsActions)
            return;
        var token = page.FormToken;
        html.Add($"<form class=\"action\" method=\"post\" action=\"{page.Root + path:exact}\">\n");
        html.Add($"<input type=\"hidden\" name=\"{token.FormFieldName:exact}\" value=\"{token.RequestToken:exact}\">\n");
        if (position is { } at)
            html.Add($"<input type=\"hidden\" name=\"{PositionField}\" value=\"{at}\">\n");
        if (asksWhy)
        {
            html.Add($"<p><label>Reason, for the record\n<input name=\"{ReasonField}\" type=\"text\" required maxlength=\"{ReasonLengthMax}\" ");
            html.Add($"autocomplete=\"off\"></label></p>\n");
        }
        html.Add($"<p class=\"do\"><button>{button}</button></p>\n</form>\n");
    }
}
