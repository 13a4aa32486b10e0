using System.IO.Compression;
using Opossum.FileSystem.Real;
using Opossum.Storage.Folders;

namespace Opossum.Tests.Golden;

/// <summary>Writes the golden store of today's format into the source tree. Run by hand, once for each new format.</summary>
public sealed class GoldenStoreGenerator
{
    [Fact(Explicit = true)]
    public async Task Writes_the_golden_store_of_todays_format()
    {
        var layout = new StoreLayout(GoldenEvents.FolderOf(StoreLayout.Format));
        Assert.False(Directory.Exists(layout.Root), $"{layout.Root} is there; a golden store is never changed.");
        Begin(layout);

        await GoldenEvents.AppendAsync(layout.Root);
        File.Delete(layout.LockFile);
    }

    [Fact(Explicit = true)]
    public async Task Writes_the_golden_store_of_ages_of_todays_format()
    {
        var archive = GoldenAges.ArchiveOf(StoreLayout.Format);
        Assert.False(File.Exists(archive), $"{archive} is there; a golden store is never changed.");
        var folder = Directory.CreateTempSubdirectory("opossum-").FullName;
        var (layout, copy) = (new StoreLayout(Path.Combine(folder, "store")), Path.Combine(folder, "copy"));
        Begin(layout);
        await GoldenAges.AppendFilesAsync(layout.Root);
        await GoldenAges.SealAndJournalAsync(layout.Root, copy);
        Assert.NotEmpty(Directory.GetFiles(new StoreLayout(copy).Index, "*" + StoreLayout.RunFileEnding));
        ZipFile.CreateFromDirectory(copy, archive, CompressionLevel.SmallestSize, includeBaseDirectory: false);
        Directory.Delete(folder, recursive: true);
    }

    private static void Begin(StoreLayout layout)
    {
        Directory.CreateDirectory(layout.Root);
        using var fileSystem = RealFileSystem.Create();
        new StoreFile(StoreLayout.Format, new Guid("0199e0c0-0000-7000-8000-000000000001"),
            new DateTimeOffset(2026, 11, 21, 10, 0, 0, TimeSpan.Zero)).TryWrite(fileSystem, layout);
    }
}
