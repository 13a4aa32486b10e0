using System.Globalization;
using Opossum.Cli.Disks;
using Opossum.Cli.Events;
using Opossum.Cli.Terminals;

namespace Opossum.Cli.Commands;

/// <summary>Writes the report of <c>opossum info</c> as text.</summary>
internal sealed class InfoText(Terminal terminal)
{
    private const int BarMax = 40;
    private const int SilentSeconds = 60;
    private const string EstimatedBySamples = ", estimated by samples";

    public void Write(InfoReport report)
    {
        WriteFacts(report);
        WriteTypes(report);
        WriteTags(report);
        WriteDays(report);
    }

    private void WriteFacts(InfoReport report)
    {
        var facts = new Columns(terminal, Column.Dim, Column.Words);
        facts.Add("store", report.Path);
        facts.Add("id", report.Id?.ToString() ?? "none: its store.json is missing");
        facts.Add("events", Text.Of(report.Head));
        if (report is { First: { } first, Last: { } last })
            facts.Add("from, to", $"{Text.Of(first)}, {Text.Of(last)}{(report.DaysAreSampled ? EstimatedBySamples : "")}");
        facts.Add("on", report.IsNetwork ? $"{report.FileSystem}, a network file system" : report.FileSystem);
        if (report.Replica is { } replica)
            facts.Add(replica.IsFormerStore ? "former" : "replica", InWords(replica, report.Head));
        if (report.EventsInJournal > 0)
            facts.Add("journal", $"{Text.Count(report.EventsInJournal, "event")}, whose files follow");
        if (report.SealedFolders > 0)
            facts.Add("sealed", $"{Text.Count(report.SealedFolders, "folder")}, of {Text.Of(EventFile.FolderPositions)} positions each");
        if (report.Head > 0)
            facts.Add("index", InWords(report.Index));
        if (report.Sizes is { } measured)
        {
            facts.Add("event files", $"{Text.Bytes(measured.EventBytes)} in {Text.Count(measured.EventFiles, "file")}");
            facts.Add("index files", Text.Bytes(measured.IndexBytes));
            facts.Add("projections", Text.Bytes(measured.ProjectionBytes));
            facts.Add("quarantine", Text.Bytes(measured.QuarantineBytes));
        }
        if (report.Disk is { } disk)
            facts.Add("disk", InWords(disk));
        facts.Write();
    }

    private string InWords(ReplicaStatus replica, long head) => replica switch
    {
        { IsFormerStore: true } => $"{Text.Visible(replica.Source)} was promoted in its place, in term {replica.Term}",
        { IsDamaged: true } => $"of {Text.Visible(replica.Source)}: replica.json is damaged",
        { At: { } at } => $"of {Text.Visible(replica.Source)}, {Text.Count(Math.Max(0, replica.SourceHead - head), "event")} missing "
            + $"{SinceInWords(at)}",
        _ => $"of {Text.Visible(replica.Source)}",
    };

    private string SinceInWords(DateTimeOffset seen)
    {
        var seconds = Math.Max(0, (long)(terminal.TimeProvider.GetUtcNow() - seen).TotalSeconds);
        return $"{Text.Of(seconds)} s ago, {Text.Of(seen)}{(seconds > SilentSeconds ? "; not seen since: is it still followed?" : "")}";
    }

    private static string InWords(DiskProbe disk)
    {
        string[] flush = disk.FlushMicroseconds is { } time ? [$"a flush takes {time.ToString("N0", CultureInfo.InvariantCulture)} µs"] : [];
        string[] mounted = disk.MountOptions.Count == 0 ? [] : [$"mounted with {Text.Visible(string.Join(',', disk.MountOptions))}"];
        string[] sentences = [string.Join("; ", [.. flush, .. mounted]), .. disk.Warnings];
        return string.Join(". ", sentences.Where(static sentence => sentence.Length > 0));
    }

    private static string InWords(IndexStatus index)
    {
        var replayed = $"{Text.Count(index.EventsReplayed, "event")} replayed at each opening";
        return index.Runs == 0 ? replayed
            : $"{Text.Count(index.Runs, "run")} of {Text.Count(index.EventsInRuns, "event")}, {Text.Bytes(index.RunBytes)}; {replayed}";
    }

    private void WriteTypes(InfoReport report)
    {
        if (report.EventTypes.Count == 0)
            return;
        var types = new Columns(terminal, Column.Number, Column.Words);
        for (var at = 0; at < report.EventTypes.Count; at++)
            types.Add(Text.Of(report.EventTypes[at].Events), report.EventTypes[at].EventType);
        WriteTitle(Text.Count(report.EventTypesTotal, "event type"), report.EventTypes.Count, report.EventTypesTotal);
        types.Write("  ");
    }

    private void WriteTags(InfoReport report)
    {
        if (report.TagKeys.Count == 0)
            return;
        var keys = new Columns(terminal, Column.Number, Column.Words, Column.Dim);
        foreach (var key in report.TagKeys)
            keys.Add(Text.Of(key.Events), key.Key, Text.Count(key.Values, "value"));
        WriteTitle(Text.Count(report.TagKeysTotal, "tag key"), report.TagKeys.Count, report.TagKeysTotal);
        keys.Write("  ");
    }

    private void WriteDays(InfoReport report)
    {
        if (report.Days.Count == 0)
            return;
        var most = report.Days.Max(static day => day.Events);
        var days = new Columns(terminal, Column.Dim, Column.Number, new Column(Style: Style.Green));
        foreach (var (day, events) in report.Days)
        {
            var bar = new string('█', (int)Math.Max(1, events * BarMax / most));
            days.Add(day.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture), Text.Of(events), bar);
        }
        if (report.Earlier > 0)
            days.Add("earlier", Text.Of(report.Earlier), "");
        terminal.Out.WriteLine();
        terminal.Out.WriteLine(terminal.Paint(Style.Bold, $"events by day{(report.DaysAreSampled ? EstimatedBySamples : "")}"));
        days.Write("  ");
    }

    private void WriteTitle(string title, int shown, int total)
    {
        terminal.Out.WriteLine();
        terminal.Out.WriteLine(terminal.Paint(Style.Bold, shown < total ? $"{title}, of which the {shown} with the most events" : title));
    }
}
