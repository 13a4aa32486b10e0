using System.Globalization;
using System.Text;
using Opossum.Maintenance;
using Opossum.Serialization;
using Opossum.Storage;
using Opossum.Storage.Log;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Proof;

/// <summary>A history that a test changes in one way.</summary>
internal sealed class TamperedHistory(StorePlace place, int events, Random random)
{
    private static readonly RedactionRecord forgedRecord = new("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        [new EventRedaction { Members = ["gone"], Reason = "none", By = "nobody", At = DateTimeOffset.UnixEpoch }]);

    /// <summary>Changes it.</summary>
    /// <returns>What a verification has to say of it, and from which position on.</returns>
    public (ProofDifferenceKind Kind, long Position) Change(Tampering tampering)
    {
        // Not in the first append: what was removed from it would leave the next one without a possible commit.
        var position = (long)random.Next(4, events);
        switch (tampering)
        {
            case Tampering.Byte:
                var bytes = place.Bytes(place.Layout.EventFile(position));
                bytes[random.Next(bytes.Length)] ^= 0x01;
                place.Put(place.Layout.EventFile(position), bytes);
                return (ProofDifferenceKind.Changed, position);
            case Tampering.Forged:
                Forge(position, Forged(position));
                return (ProofDifferenceKind.Changed, position);
            case Tampering.Deleted:
                place.Delete(place.Layout.EventFile(position));
                return (ProofDifferenceKind.Missing, position);
            case Tampering.Cut:
                Cut(position);
                return (ProofDifferenceKind.CutOff, position);
            case Tampering.Swapped:
                var (one, other) = (place.Event(position), place.Event(position + 1));
                Forge(position, other with { Position = position, Commit = one.Commit });
                Forge(position + 1, one with { Position = position + 1, Commit = other.Commit });
                return (ProofDifferenceKind.Changed, position);
            case Tampering.Moved:
                place.Put(place.Layout.EventFile(position), place.Bytes(place.Layout.EventFile(position + 1)));
                return (ProofDifferenceKind.Changed, position);
            case Tampering.Inserted:
                for (var at = events; at >= position; at--)
                    Forge(at + 1, Shifted(place.Event(at), 1));
                Forge(position, Forged(position));
                return (ProofDifferenceKind.Inserted, position);
            case Tampering.Removed:
                for (var at = position; at < events; at++)
                    Forge(at, Shifted(place.Event(at + 1), -1));
                place.Delete(place.Layout.EventFile(events));
                return (ProofDifferenceKind.Removed, position);
            case Tampering.Redacted:
                var stored = place.Event(position);
                Forge(position, stored with { Content = stored.Content with { Metadata = forgedRecord.AddTo(stored.Content.Metadata) } });
                return (ProofDifferenceKind.Changed, position);
            case Tampering.TwoHistories:
                position -= (position - 1) % 3;
                Cut(position);
                RemoveFolder(place.Layout.Index);
                Append((int)(events - position + 1));
                return (ProofDifferenceKind.Changed, position);
            default:
                for (var at = position; at <= events; at++)
                    Forge(at, Forged(at));
                RemoveFolder(place.Layout.Index);
                RemoveFolder(place.Layout.Proof);
                Append(0);
                using (var files = place.Attach())
                    StoreProof.Build(files, place.Layout, null, CancellationToken.None);
                return (ProofDifferenceKind.Rewritten, position);
        }
    }

    /// <summary>Appends events, three at a time.</summary>
    public void Append(int count)
    {
        var store = place.Open(static options => options.KeepConditions = true);
        for (var at = 0; at < count; at += 3)
        {
            var condition = new AppendCondition(Query.All, store.GetHeadAsync().GetAwaiter().GetResult());
            store.AppendAsync([.. Enumerable.Range(at, Math.Min(3, count - at)).Select(static each => New("counted", $"number:{each}"))], condition)
                .GetAwaiter().GetResult();
        }
        place.CloseStores();
    }

    // All events of an append have one time, so that stays.
    private StoredEvent Forged(long position)
    {
        var stored = place.Event(position);
        var data = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{{\"forged\":{random.Next()}}}"));
        return stored with { Content = stored.Content with { Json = data } };
    }

    private void Cut(long first)
    {
        for (var at = first; at <= events; at++)
            place.Delete(place.Layout.EventFile(at));
    }

    private void RemoveFolder(string folder)
    {
        using var files = place.Attach();
        var filesLeft = int.MaxValue;
        Assert.True(files.RemoveFolder(folder, ref filesLeft));
    }

    private static StoredEvent Shifted(StoredEvent stored, int by) => stored with
    {
        Position = stored.Position + by,
        Commit = new CommitRange(stored.Commit.First + by, stored.Commit.Last + by, Math.Max(0, stored.Commit.After + by)),
        Condition = stored.Condition?.MovedBy(by),
    };

    private void Forge(long position, StoredEvent stored) => place.Put(place.Layout.EventFile(position), EventFile.TextOf(stored));
}
