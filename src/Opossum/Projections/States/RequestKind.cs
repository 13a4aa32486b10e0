namespace Opossum.Projections.States;

/// <summary>The kinds of request to a projection's leader.</summary>
internal enum RequestKind
{
    Rebuild,
    Retry,
    Skip,
}
