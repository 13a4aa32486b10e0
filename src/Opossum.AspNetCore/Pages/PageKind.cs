namespace Opossum.AspNetCore.Pages;

/// <summary>How a page is asked for.</summary>
internal enum PageKind
{
    Page,

    /// <summary>The answer is a stream, which without a body would not end.</summary>
    Stream,

    /// <summary>A form is sent to it, which asks for a change.</summary>
    Action,
}
