using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Opossum.Benchmarks.Contenders;

/// <summary>
/// One growing file: write at its end, fdatasync (where there is none, .NET's flush to the disk). Several events take one write and one
/// flush.
/// </summary>
/// <param name="path">The file.</param>
/// <param name="isInPlace">Whether it is full of flushed zeros before, so that a write changes none of the file system's own data.</param>
internal sealed class RawLogContender(string path, bool isInPlace = false) : IContender
{
    private const int BytesInPlace = 256 * 1024 * 1024;

    private readonly SafeFileHandle file = Create(path, isInPlace);
    private byte[] records = [];
    private long length;

    public string Name => isInPlace ? ContenderName.RawLogInPlace : ContenderName.RawLog;

    public Task AppendAloneAsync(IReadOnlyList<NewEvent> events)
    {
        foreach (var each in events)
            Append([each]);
        return Task.CompletedTask;
    }

    public Task AppendTogetherAsync(IReadOnlyList<NewEvent> events)
    {
        Append(events);
        return Task.CompletedTask;
    }

    public Task AppendConcurrentlyAsync(IReadOnlyList<NewEvent[]> writers)
    {
        for (var at = 0; at < writers[0].Length; at++)
            Append([.. writers.Select(events => events[at])]);
        return Task.CompletedTask;
    }

    public Task<Digest> ReadBackAsync()
    {
        var digest = default(Digest);
        var record = new byte[RawRecord.Length];
        for (long at = 0; at < length; at += record.Length)
        {
            if (RandomAccess.Read(file, record, at) != record.Length)
                throw new InvalidDataException($"{path} ends within a record.");
            digest = digest.With(RawRecord.Json(record));
        }
        return Task.FromResult(digest);
    }

    public ValueTask DisposeAsync()
    {
        file.Dispose();
        return default;
    }

    private static SafeFileHandle Create(string path, bool isInPlace)
    {
        var file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite);
        var zeros = new byte[1024 * 1024];
        for (var at = 0L; isInPlace && at < BytesInPlace; at += zeros.Length)
            RandomAccess.Write(file, zeros, at);
        RandomAccess.FlushToDisk(file);
        return file;
    }

    private void Append(IReadOnlyList<NewEvent> events)
    {
        var size = events.Count * RawRecord.Length;
        if (records.Length < size)
            records = new byte[size];
        for (var at = 0; at < events.Count; at++)
            RawRecord.Write(events[at], records.AsSpan(at * RawRecord.Length, RawRecord.Length));
        RandomAccess.Write(file, records.AsSpan(0, size), length);
        length += size;
        Flush();
    }

    private void Flush()
    {
        if (!OperatingSystem.IsLinux())
            RandomAccess.FlushToDisk(file);
        else if (FlushData(file) != 0)
            throw new IOException($"fdatasync of {path} failed with error {Marshal.GetLastPInvokeError()}.");
    }

    [DllImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int FlushData(SafeFileHandle file);
}
