using System.Globalization;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// A file for each event, by the system calls alone. One event: create, write, fsync, close. Several, whether they come together or from
/// writers at the same time: create, write and close each, then one syncfs (where there is none, an fsync of each, in parallel).
/// </summary>
internal sealed class RawFilesContender : IContender
{
    private readonly IFileSystem fileSystem = RealFileSystem.Create();
    private readonly string folder;
    private readonly bool flush;
    private readonly bool canFlushWhole;
    private byte[] record = [];
    private int number;

    public RawFilesContender(string folder, bool flush = true)
    {
        this.folder = folder;
        this.flush = flush;
        fileSystem.CreateFolder(folder);
        canFlushWhole = fileSystem.GetVolume(folder).CanFlushWhole;
    }

    public string Name => ContenderName.RawFiles;

    public Task AppendAloneAsync(IReadOnlyList<NewEvent> events)
    {
        foreach (var each in events)
        {
            using var file = CreateWrite(each);
            if (flush)
                file.Flush();
        }
        return Task.CompletedTask;
    }

    public Task AppendTogetherAsync(IReadOnlyList<NewEvent> events)
    {
        if (flush && !canFlushWhole)
        {
            AppendFlushingEach(events);
            return Task.CompletedTask;
        }
        foreach (var each in events)
            CreateWrite(each).Dispose();
        if (flush)
            fileSystem.FlushWhole(folder);
        return Task.CompletedTask;
    }

    public async Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers)
    {
        for (var at = 0; at < writers[0].Length; at++)
            await AppendTogetherAsync([.. writers.Select(events => events[at])]);
    }

    public Task<Digest> ReadBackAsync()
    {
        var digest = default(Digest);
        foreach (var path in Directory.EnumerateFiles(folder))
            digest = digest.With(RawRecord.Json(File.ReadAllBytes(path)));
        return Task.FromResult(digest);
    }

    public ValueTask DisposeAsync()
    {
        fileSystem.Dispose();
        return default;
    }

    private IFile CreateWrite(NewEvent newEvent)
    {
        var path = Path.Combine(folder, (++number).ToString("D10", CultureInfo.InvariantCulture) + ".json");
        var file = fileSystem.CreateNew(path) ?? throw new IOException($"{path} exists already.");
        var length = RawRecord.LengthOf(newEvent);
        if (record.Length < length)
            record = new byte[length];
        RawRecord.Write(newEvent, record.AsSpan(0, length));
        file.Write(record.AsSpan(0, length), 0);
        return file;
    }

    private void AppendFlushingEach(IReadOnlyList<NewEvent> events)
    {
        var files = events.Select(CreateWrite).ToArray();
        fileSystem.ForEach(files.Length, at => files[at].Flush());
        foreach (var file in files)
            file.Dispose();
    }
}
