using System.Globalization;
using System.Text;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;

namespace Opossum.Benchmarks;

/// <summary>
/// The yardstick: a loop that creates a file, writes an event's bytes, flushes and closes it, by the same system calls that the store uses.
/// </summary>
internal sealed class RawFiles : IDisposable
{
    private static readonly byte[] bytes = Encoding.UTF8.GetBytes(new string('x', 450));

    private readonly IFileSystem fileSystem = RealFileSystem.Create();
    private readonly string folder;
    private readonly Volume volume;
    private int number;

    public RawFiles(string folder)
    {
        this.folder = folder;
        fileSystem.CreateFolder(folder);
        volume = fileSystem.GetVolume(folder);
    }

    public void CreateWriteFlush()
    {
        using var file = fileSystem.CreateNew(NextPath())!;
        file.Write(bytes, 0);
        file.Flush();
    }

    public void CreateWrite(int files)
    {
        for (var at = 0; at < files; at++)
        {
            using var file = fileSystem.CreateNew(NextPath())!;
            file.Write(bytes, 0);
        }
    }

    /// <summary>A group of files made durable together, as the store does it where a journal keeps the order of operations.</summary>
    public void CreateWriteFlushGroup(int files)
    {
        var group = new List<IFile>(files);
        for (var at = 0; at < files; at++)
        {
            var file = fileSystem.CreateNew(NextPath())!;
            file.Write(bytes, 0);
            group.Add(file);
        }
        if (volume.CanFlushRange)
        {
            group.ForEach(file => file.BeginFlushRange());
            group.ForEach(file => file.FlushRange());
            group[^1].Flush();
        }
        else
        {
            fileSystem.ForEach(files, at => group[at].Flush());
        }
        group.ForEach(file => file.Dispose());
    }

    /// <summary>Files created one after another in a folder of their own, then made durable together, as the store does it with a journal.</summary>
    public void CreateWriteFlushFolder(int files)
    {
        var own = Path.Combine(folder, $"from-{number}");
        fileSystem.CreateFolder(own);
        var paths = Enumerable.Range(0, files).Select(at => Path.Combine(own, $"{at:D10}.json")).ToList();
        foreach (var path in paths)
        {
            using var file = fileSystem.CreateNew(path)!;
            file.Write(bytes, 0);
        }
        number += files;
        if (volume.CanFlushWhole)
        {
            fileSystem.FlushWhole(folder);
            return;
        }
        fileSystem.ForEach(files, at =>
        {
            using var file = fileSystem.Open(paths[at], FileOpening.ReadWrite)!;
            file.Flush();
        });
        fileSystem.FlushFolder(own);
    }

    public void Dispose() => fileSystem.Dispose();

    private string NextPath() => Path.Combine(folder, (++number).ToString("D10", CultureInfo.InvariantCulture) + ".json");
}
