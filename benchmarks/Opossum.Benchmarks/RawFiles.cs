using System.Globalization;
using System.Text;
using Opossum.FileSystem;

namespace Opossum.Benchmarks;

/// <summary>
/// The yardstick: a loop that creates a file, writes an event's bytes, flushes and closes it, by the same system calls that the store uses.
/// </summary>
internal sealed class RawFiles : IDisposable
{
    private static readonly byte[] bytes = Encoding.UTF8.GetBytes(new string('x', 450));

    private readonly IFileSystem fileSystem = RealFileSystem.Create();
    private readonly string folder;
    private readonly bool canFlushRange;
    private int number;

    public RawFiles(string folder)
    {
        this.folder = folder;
        fileSystem.CreateFolder(folder);
        canFlushRange = fileSystem.GetVolume(folder).CanFlushRange;
    }

    public void CreateWriteFlush()
    {
        using var file = fileSystem.CreateNew(NextPath())!;
        file.Write(bytes, 0);
        file.Flush();
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
        if (canFlushRange)
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

    public void Dispose() => fileSystem.Dispose();

    private string NextPath() => Path.Combine(folder, (++number).ToString("D10", CultureInfo.InvariantCulture) + ".json");
}
