using Opossum.FileSystem;
using Opossum.Storage;

namespace Opossum.Tests.Golden;

/// <summary>Writes the golden store of today's format into the source tree. Run by hand, once for each new format.</summary>
public sealed class GoldenStoreGenerator
{
    [Fact(Explicit = true)]
    public async Task Writes_the_golden_store_of_todays_format()
    {
        var layout = new StoreLayout(GoldenEvents.FolderOf(StoreLayout.Format));
        Assert.False(Directory.Exists(layout.Root), $"{layout.Root} is there; a golden store is never changed.");
        Directory.CreateDirectory(layout.Root);
        using (var fileSystem = RealFileSystem.Create())
        {
            new StoreFile(StoreLayout.Format, new Guid("0199e0c0-0000-7000-8000-000000000001"),
                new DateTimeOffset(2026, 11, 21, 10, 0, 0, TimeSpan.Zero)).TryWrite(fileSystem, layout);
        }

        await GoldenEvents.AppendAsync(layout.Root);
        File.Delete(layout.LockFile);
    }
}
