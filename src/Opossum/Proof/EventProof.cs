using System.Globalization;
using System.Text;

namespace Opossum.Proof;

/// <summary>The proof that an event belongs to the history that a checkpoint covers, as the text of C2SP's tlog-proof.</summary>
internal sealed record EventProof(long Position, IReadOnlyList<TreeHash> Hashes, string Checkpoint)
{
    private const string Header = "c2sp.org/tlog-proof@v1";
    private const string IndexStart = "index ";

    // A tree of 2^40 leaves has proofs of 40 hashes.
    private const int HashesMax = 40;

    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(Header).Append('\n').Append(CultureInfo.InvariantCulture, $"{IndexStart}{Position - 1}").Append('\n');
        foreach (var hash in Hashes)
            text.Append(hash).Append('\n');
        return text.Append('\n').Append(Checkpoint).ToString();
    }

    /// <exception cref="FormatException">It is not the text of a proof.</exception>
    public static EventProof Parse(string text)
    {
        text = text.ReplaceLineEndings("\n");
        var end = text.IndexOf("\n\n", StringComparison.Ordinal);
        var lines = end < 0 ? [] : text[..end].Split('\n');
        if (lines.Length is < 2 or > HashesMax + 2 || lines[0] != Header || !lines[1].StartsWith(IndexStart, StringComparison.Ordinal)
            || !int.TryParse(lines[1].AsSpan(IndexStart.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var index))
        {
            throw new FormatException($"it is not a proof: it does not begin with the lines \"{Header}\" and \"{IndexStart}N\"");
        }
        var hashes = new List<TreeHash>();
        foreach (var line in lines.Skip(2))
            hashes.Add(TreeHash.TryParse(line, out var hash) ? hash : throw new FormatException($"\"{line}\" is not a hash"));
        return new EventProof(index + 1L, hashes, text[(end + 2)..]);
    }
}
