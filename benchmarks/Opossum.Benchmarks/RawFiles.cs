using System.Globalization;
using System.Text;
using Opossum.FileSystem;

namespace Opossum.Benchmarks;

/// <summary>The yardstick: a loop that creates a file, writes an event's bytes, flushes and closes it, by the same system calls that the store uses.</summary>
internal sealed class RawFiles : IDisposable
{
    private static readonly byte[] bytes = Encoding.UTF8.GetBytes(new string('x', 450));

    private readonly IFileSystem fileSystem = RealFileSystem.Create();
    private readonly string folder;
    private int number;

    public RawFiles(string folder)
    {
        this.folder = folder;
        fileSystem.CreateFolder(folder);
    }

    public void CreateWriteFlush()
    {
        using var file = fileSystem.CreateNew(Path.Combine(folder, (++number).ToString("D10", CultureInfo.InvariantCulture) + ".json"))!;
        file.Write(bytes, 0);
        file.Flush();
    }

    public void Dispose() => fileSystem.Dispose();
}
