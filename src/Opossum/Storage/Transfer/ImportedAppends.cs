using System.Globalization;
using Opossum.Serialization;
using Opossum.Storage.Commit;
using Opossum.Storage.Index;
using Opossum.Storage.Log;

namespace Opossum.Storage.Transfer;

/// <summary>Reads the lines of an import as appends: neighbouring events of one commit and one time.</summary>
internal sealed class ImportedAppends(LineReader lines, RefusedLine refused)
{
    private List<(TagRule Rule, long Line)> rules = [];
    private StoreMaintenanceException? refusal;

    /// <summary>Removes and returns the tag rules that have been read.</summary>
    public List<(TagRule Rule, long Line)> TakeRules()
    {
        var taken = rules;
        rules = taken.Count == 0 ? taken : [];
        return taken;
    }

    /// <summary>Reads the appends, each as a whole.</summary>
    /// <exception cref="StoreMaintenanceException">A line is refused. The appends before have been returned.</exception>
    public IEnumerable<List<ImportedEvent>> Read()
    {
        var append = new List<ImportedEvent>();
        StoredEvent? first = null;
        var bytes = 0L;
        var (source, last) = (0, long.MaxValue);
        while (TryReadEvent() is { } stored)
        {
            // A position that does not rise begins another export, which may repeat the last events of the one before.
            if (first is not null && (!stored.IsOfSameAppend(first) || stored.Position <= last))
            {
                yield return Checked(append);
                append = [];
                first = null;
                bytes = 0;
            }
            first ??= stored;
            if (stored.Position <= last)
                source++;
            last = stored.Position;
            append.Add(new ImportedEvent(stored, lines.Number, source));
            bytes += stored.Content.Bytes;
            if (bytes > StoreLayout.AppendBytesMax)
                throw Refused(append[0].Line, $"begins an append of more than {StoreLayout.AppendBytesMax} bytes of JSON, the most in one");
        }
        // A refused line may be of the append that is being read, unless that one is whole.
        if (append.Count > 0 && (refusal is null || last == append[^1].Stored.Commit.Last))
            yield return Checked(append);
        if (refusal is not null)
            throw refusal;
    }

    private StoredEvent? TryReadEvent()
    {
        try
        {
            return ReadEvent();
        }
        catch (StoreMaintenanceException e) when (e.Line is not null)
        {
            refusal = e;
            return null;
        }
    }

    private StoredEvent? ReadEvent()
    {
        while (lines.TryRead(out var line))
        {
            if (line.Trim(" \t\r"u8).IsEmpty)
                continue;
            var rule = TagRuleLine.Read(line, out var noRule);
            if (noRule is not null)
                throw Refused(lines.Number, noRule);
            if (rule is not null)
            {
                rules.Add((rule, lines.Number));
                continue;
            }
            return EventFile.ReadLine(line, out var problem) ?? throw Refused(lines.Number, problem!);
        }
        return null;
    }

    private List<ImportedEvent> Checked(List<ImportedEvent> append)
    {
        var ids = new Dictionary<Guid, ImportedEvent>(append.Count);
        foreach (var each in append)
        {
            if (!ids.TryAdd(each.Content.Id, each))
            {
                throw Refused(each.Line, string.Create(CultureInfo.InvariantCulture,
                    $"has the id of line {ids[each.Content.Id].Line}, {each.Content.Id}, in one append"));
            }
        }
        try
        {
            PreparedEvent[] contents = [.. append.Select(static each => each.Content)];
            IndexFrame.ThrowIfTooLong(contents);
            AppendSize.ThrowIfTooLarge(contents);
        }
        catch (ArgumentException e)
        {
            throw Refused(append[0].Line, $"begins an append that is too long: {e.Message}");
        }
        return append;
    }

    private StoreMaintenanceException Refused(long line, string problem) => refused.Of(line, problem, "Correct the line and import again.");
}
