namespace Opossum.Following;

/// <summary>The kinds of request to a leader.</summary>
internal enum RequestKind
{
    Rebuild,
    Retry,
    Skip,
    HandleAgain,
}
