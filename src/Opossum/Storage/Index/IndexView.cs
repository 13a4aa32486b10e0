using Opossum.Storage.Definitions;
using Opossum.Storage.Log;

namespace Opossum.Storage.Index;

/// <summary>The index in memory and the log whose lines it knows.</summary>
/// <param name="segments">The log; without one (null) events are read from the ledger.</param>
internal sealed class IndexView(IndexContents contents, Segments? segments, TagRuleSet rules)
{
    public TagRuleSet Rules => rules;

    public IndexContents Contents => contents;

    public Segments? Segments => segments;

    /// <summary>The line of a position, without its line feed; empty when it is not there. It may be damaged.</summary>
    public byte[] ReadLine(long position) => segments?.ReadLine(contents, position) ?? [];
}
