using System.Globalization;
using Opossum.Personal;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;

namespace Opossum.Storage.Transfer;

/// <summary>The ids of a store's events, by which an import knows what it has stored before, and which of their members are personal.</summary>
internal sealed class KnownEvents(EventFiles eventFiles, PersonalHistory personal, RefusedLine refused)
{
    private readonly Dictionary<Guid, int> positions = [];

    /// <summary>The position up to which the ids are known.</summary>
    public int Head { get; private set; }

    /// <summary>Takes in the events after <see cref="Head"/>.</summary>
    /// <param name="contents">The index.</param>
    /// <param name="readRecord">Returns the packed copy of a position.</param>
    /// <exception cref="StoreDamagedException">An event cannot be read.</exception>
    public void CatchUp(IndexContents contents, Func<long, byte[]> readRecord)
    {
        for (var last = contents.Head; Head < last; Head++)
        {
            var position = Head + 1;
            var record = readRecord(position);
            var id = PackedEvents.FindId(record, position);
            var content = id is null || SealedText.MayBeIn(record)
                ? PackedEvents.ReadStored(record, position)?.Content ?? ReadFile(position).Content : null;
            if (content is not null)
                personal.Note(content.Type, content.Json, position);
            // The first of several: an id that a program appended twice.
            positions.TryAdd(id ?? content!.Id, position);
        }
    }

    /// <summary>Whether the store has the event.</summary>
    /// <exception cref="StoreImportException">The store has another event with the id.</exception>
    public bool Has(ImportedEvent e, Func<long, byte[]> readRecord)
    {
        if (!positions.TryGetValue(e.Content.Id, out var position))
            return false;
        var stored = PackedEvents.ReadStored(readRecord(position), position) ?? ReadFile(position);
        if (stored.Content.IsSameAs(e.Content))
            return true;
        throw refused.Of(e.Line, string.Create(CultureInfo.InvariantCulture,
            $"has the id {e.Content.Id}, which the store has at position {position} with another content"),
            "Give the event another id, or leave the line out.");
    }

    private StoredEvent ReadFile(long position) => eventFiles.Read(position, out var problem)
        ?? throw new StoreDamagedException(eventFiles.PathOf(position), position,
            $"Nothing was imported: {eventFiles.PathOf(position)} {problem}, and the index has no copy. {nameof(StoreCheck)} names the remedy.");
}
