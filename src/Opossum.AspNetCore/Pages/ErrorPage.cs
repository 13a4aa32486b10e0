namespace Opossum.AspNetCore.Pages;

/// <summary>The pages that say why there is nothing to see.</summary>
internal static class ErrorPage
{
    public static Html Create(PageRequest page, string title, string message) =>
        Layout.Begin(page, title, null).Add($"<h1>{title}</h1>\n<p class=\"problem\">{message:lines}</p>\n").End();

    public static Html CreateClosed(PageRequest page) => Layout.Begin(page, "Closed", null).Add($"""
        <h1>This page is closed to anonymous visitors</h1>
        <p>It shows the events of a store, and the app has not said who may see them. The app opens it where it maps it:</p>
        <pre>app.MapOpossum(…).RequireAuthorization("operators"); // who fulfils a policy
        app.MapOpossum(…).AllowAnonymous();                  // everybody</pre>
        <p>Without either, everybody who is authenticated may see it; this app has no default scheme of authentication to ask for.</p>

        """).End();
}
