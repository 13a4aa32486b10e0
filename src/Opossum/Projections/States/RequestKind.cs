namespace Opossum.Projections.States;

/// <summary>What may be asked of a projection's leader.</summary>
internal enum RequestKind
{
    Rebuild,
    Retry,
    Skip,
}
