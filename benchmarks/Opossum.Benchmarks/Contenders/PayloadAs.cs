namespace Opossum.Benchmarks.Contenders;

/// <summary>The form in which a read returns each event's payload.</summary>
internal enum PayloadAs
{
    /// <summary>A copy of its JSON.</summary>
    Bytes,

    /// <summary>A <see cref="PartMoved"/>, made by the source-generated serializer.</summary>
    Object,
}
