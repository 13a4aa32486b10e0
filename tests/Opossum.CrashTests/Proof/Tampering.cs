namespace Opossum.Tests.Proof;

/// <summary>The ways in which a test changes a history. Checksums are mended, so that only the tree shows it.</summary>
internal enum Tampering
{
    Byte,
    Forged,
    Deleted,
    Cut,
    Swapped,
    Moved,
    Inserted,
    Removed,
    Redacted,
    TwoHistories,
    WholeRewrite,
}
