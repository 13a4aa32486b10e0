namespace CourseManagement;

/// <summary>The input rules that several commands share.</summary>
internal static class Inputs
{
    public const string Needed = "This is needed.";
    public const string IdPattern = "^[a-z0-9][a-z0-9-]{0,39}$";
    public const string IdInWords = "An id is 1 to 40 small letters, digits and hyphens, and does not begin with a hyphen.";
    public const int NameLengthMax = 100;
    public const string NameInWords = "This has 100 characters at the most.";
    public const int PageMax = 100;
    public const string PageInWords = "A page has 1 to 100 items.";
    public const string SkipInWords = "The number of items before the page is not negative.";
    public const int CapacityMax = 1_000;
    public const string CapacityInWords = "A course has 1 to 1,000 seats.";
}
