using Microsoft.Extensions.Logging.Abstractions;
using Opossum.Diagnostics;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Index;
using Opossum.Storage.Ledger;
using Opossum.Storage.Log;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Transfer;

/// <summary>One run of an export.</summary>
internal sealed class ExportRun(IFileSystem fileSystem, StoreLayout layout, Query query, ReadOptions options,
    IProgress<StoreProgress>? progress, CancellationToken cancellationToken)
{
    private const int ReportedEvents = 1_000;

    public ExportReport Run(Stream output, TimeProvider clock)
    {
        var settings = StoreSettings.ForOneRun(clock) with { ReadOnly = true };
        using var store = new StoreOpening(fileSystem, layout, settings, NullLogger.Instance).Open();
        try
        {
            return Write(store, output);
        }
        catch (FileSystemException e)
        {
            throw new StoreIOException(e.Path, $"The export from {layout.Root} was not completed. {e.Message} Check that the disk or the share can "
                + "be reached, and export again.", e);
        }
    }

    private ExportReport Write(OpenStore store, Stream output)
    {
        var view = store.Index.TakeView();
        var last = (int)Math.Min(options.UpTo ?? view.Contents.Head, view.Contents.Head);
        var from = (int)Math.Min(options.After, last) + 1;
        foreach (var rule in view.Rules.Rules)
            Write(output, TagRuleLine.Write(rule));
        var cursor = view.Contents.Find(query, last, from, backwards: false);
        var events = 0L;
        var position = cursor.Next();
        for (; position != PositionCursor.None && events != options.Limit; position = cursor.Next())
        {
            cancellationToken.ThrowIfCancellationRequested();
            Write(output, LineOf(position, view, store.EventFiles));
            if (++events % ReportedEvents == 0)
                progress.Report(StoreOperation.Export, position - from + 1, last - from + 1);
        }
        output.Flush();
        progress.Report(StoreOperation.Export, last - from + 1, last - from + 1);
        // A limit leaves the rest to a later export.
        var head = position == PositionCursor.None ? last : position - 1;
        return new ExportReport { Events = events, Head = head, TagRules = view.Rules.Rules.Count };
    }

    private static void Write(Stream output, byte[] line)
    {
        output.Write(line);
        output.WriteByte((byte)'\n');
    }

    private static byte[] LineOf(long position, IndexView view, EventFiles eventFiles)
    {
        var line = view.ReadLine(position);
        if (EventLine.ReadStored(line, position) is not null)
            return line;
        return eventFiles.ReadOrThrow(position, $"The event at position {position} cannot be exported").Line!;
    }
}
