using Opossum.Diagnostics;
using Opossum.Maintenance;
using Opossum.Storage.Commit;
using Opossum.Storage.Log;

namespace Opossum.Storage.Transfer;

/// <summary>One run of an import: appends are stored in groups, in the order of their lines.</summary>
internal sealed class ImportRun(ImportTarget target, IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private readonly List<List<ImportedEvent>> group = [];
    private readonly HashSet<Guid> idsOfGroup = [];
    private long bytesOfGroup;
    private long read;
    private long imported;
    private long reported;
    private int rules;

    // Invariant: what is stored is a beginning of the lines, in whole appends, so the same import, run again, finds
    // them in the store and continues after them. So appends are stored in the order of their lines, a tag rule after
    // the appends before it, and those before a refused line before the refusal is thrown.
    public ImportReport Run(Stream input)
    {
        if (input.CanSeek)
            LookAhead(input);
        var lines = LinesOf(input);
        var appends = new ImportedAppends(lines, target.Refused);
        try
        {
            foreach (var append in appends.Read())
            {
                cancellationToken.ThrowIfCancellationRequested();
                Add(appends.TakeRules());
                Take(append);
                Report(input, lines);
            }
            Add(appends.TakeRules());
        }
        catch (StoreMaintenanceException e) when (e.Line is not null)
        {
            Store();
            throw;
        }
        Store();
        progress.Report(StoreOperation.Import, read, read);
        return new ImportReport
        {
            Read = read,
            Imported = imported,
            Known = read - imported,
            TagRules = rules,
            Head = target.Head,
            KeysProblem = target.FindKeysProblem(),
        };
    }

    private void LookAhead(Stream input)
    {
        var start = input.Position;
        target.LookAhead(LinesOf(input), cancellationToken);
        input.Position = start;
    }

    private static LineReader LinesOf(Stream input) => new((buffer, _) => input.Read(buffer), 64 * 1024, skipsMark: true, static line =>
        throw new StoreMaintenanceException(path: null, $"Line {line} is longer than any event; nothing of it was stored.") { Line = line });

    // Before the events, so that the index of an empty store is not made again when it has all of them.
    private void Add(List<(TagRule Rule, long Line)> found)
    {
        if (found.Count == 0)
            return;
        Store();
        rules += target.Add(found, progress, cancellationToken);
    }

    private void Take(List<ImportedEvent> append)
    {
        // Order matters: the group is stored before one of its ids is looked up, or that event would be stored twice.
        if (append.Exists(each => idsOfGroup.Contains(each.Content.Id)) || idsOfGroup.Count >= Group.EventsMax)
            Store();
        var events = target.FindNew(append);
        read += append.Count;
        if (events.Count == 0)
            return;
        var bytes = events.Sum(static each => EventLines.LengthMaxOf(each.Content));
        if (bytesOfGroup + bytes > Group.BytesMax)
            Store();
        group.Add(events);
        bytesOfGroup += bytes;
        foreach (var each in events)
            idsOfGroup.Add(each.Content.Id);
    }

    private void Store()
    {
        if (group.Count == 0)
            return;
        var appends = group.ToList();
        // The group is emptied first, so that appends that the store refuses are not stored again after the refusal.
        group.Clear();
        idsOfGroup.Clear();
        bytesOfGroup = 0;
        imported += target.Add(appends);
    }

    // How many events there are is known at the end; until then it is estimated by bytes, where the length is known.
    private void Report(Stream input, LineReader lines)
    {
        if (progress is null || read < reported + Group.EventsMax)
            return;
        reported = read;
        var total = input.CanSeek && lines.Bytes > 0 ? (long)((double)read / lines.Bytes * input.Length) : read;
        progress.Report(StoreOperation.Import, read, Math.Max(total, read));
    }
}
