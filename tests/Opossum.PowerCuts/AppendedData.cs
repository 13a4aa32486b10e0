namespace Opossum.PowerCuts;

/// <summary>The data of a victim's event: enough to judge its append after a cut.</summary>
/// <param name="At">Its place among the append's events, from 0.</param>
/// <param name="Of">How many events the append has.</param>
/// <param name="Previous">The last position of the same appender's append before, which its condition names; 0: none.</param>
/// <param name="Text">Something that is more than one byte a character.</param>
internal sealed record AppendedData(int At, int Of, long Previous, string Text);
