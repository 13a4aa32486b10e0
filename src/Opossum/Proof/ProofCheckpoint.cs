using System.Globalization;
using Opossum.Proof;

namespace Opossum.Maintenance;

/// <summary>A signed statement about a store: how many events it has, and the root of the Merkle tree over them.</summary>
/// <remarks>
/// Its text is a checkpoint of C2SP's tlog-checkpoint: the origin (<c>opossum/</c> and the store's id), the number of events, the root, the time,
/// and the signatures. Kept where the store's owner cannot change it, it shows every later change of these events.
/// </remarks>
public sealed class ProofCheckpoint
{
    private const string OriginStart = "opossum/";
    private const string TimeStart = "time ";

    private ProofCheckpoint(Guid storeId, long size, TreeHash root, DateTimeOffset time, string text)
    {
        StoreId = storeId;
        Position = size;
        Root = root;
        Time = time;
        Text = text;
    }

    /// <summary>The id of the store.</summary>
    public Guid StoreId { get; }

    /// <summary>The position of the last event that it covers: all from the first one on are covered.</summary>
    public long Position { get; }

    /// <summary>When it was written, by the clock of the process that wrote it.</summary>
    public DateTimeOffset Time { get; }

    /// <summary>The checkpoint as text, with its signatures.</summary>
    public string Text { get; }

    internal TreeHash Root { get; }

    /// <summary>The text.</summary>
    public override string ToString() => Text;

    /// <summary>Parses a checkpoint and verifies its signature.</summary>
    /// <param name="text">The text of the checkpoint.</param>
    /// <param name="verifier">The verifier of the key that signed it.</param>
    /// <exception cref="FormatException">It is not a checkpoint of a store, or its signature is missing or does not match.</exception>
    public static ProofCheckpoint Parse(string text, ProofVerifier verifier)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(verifier);
        text = text.ReplaceLineEndings("\n");
        return Read(SignedNote.Open(text, verifier), text);
    }

    /// <summary>Parses a checkpoint whose signature nobody asks for.</summary>
    internal static ProofCheckpoint ParseUnverified(string text)
    {
        text = text.ReplaceLineEndings("\n");
        return Read(SignedNote.Text(text), text);
    }

    internal bool IsSignedBy(ProofVerifier verifier)
    {
        try
        {
            SignedNote.Open(Text, verifier);
            return true;
        }
        catch (FormatException)
        {
            return false;
        }
    }

    internal static ProofCheckpoint Sign(Guid storeId, long size, TreeHash root, DateTimeOffset time, ProofKey key)
    {
        time = new DateTimeOffset(time.UtcTicks / TimeSpan.TicksPerSecond * TimeSpan.TicksPerSecond, TimeSpan.Zero);
        var body = string.Create(CultureInfo.InvariantCulture,
            $"{OriginStart}{storeId:D}\n{size}\n{root}\n{TimeStart}{time.UtcDateTime:yyyy-MM-ddTHH:mm:ssZ}\n");
        return new ProofCheckpoint(storeId, size, root, time, SignedNote.Sign(body, key));
    }

    private static ProofCheckpoint Read(string body, string text)
    {
        var lines = body.Split('\n');
        if (lines.Length < 5 || !lines[0].StartsWith(OriginStart, StringComparison.Ordinal)
            || !Guid.TryParseExact(lines[0][OriginStart.Length..], "D", out var storeId)
            || !long.TryParse(lines[1], NumberStyles.None, CultureInfo.InvariantCulture, out var size)
            || !TreeHash.TryParse(lines[2], out var root)
            || !lines[3].StartsWith(TimeStart, StringComparison.Ordinal)
            || !DateTimeOffset.TryParseExact(lines[3][TimeStart.Length..], "yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal, out var time))
        {
            throw new FormatException(
                "it is not the checkpoint of a store, whose lines are the origin opossum/ID, the number of events, the root and the time");
        }
        return new ProofCheckpoint(storeId, size, root, time, text);
    }
}
