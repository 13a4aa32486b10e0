using Opossum.FileSystem;

namespace Opossum.Proof;

/// <summary>The files of whole tiles. A tile never changes once it is whole, and every process writes the same bytes, so none needs a lock.</summary>
internal sealed class TileFiles(IFileSystem fileSystem, StoreLayout layout)
{
    /// <summary>Reads a tile; null when its file is missing or is not one.</summary>
    /// <param name="width">The number of hashes; a tile that is not whole has a file for each number that a checkpoint needed.</param>
    public TreeHash[]? Read(Tile tile, int width = Tile.Width)
    {
        using var file = fileSystem.Open(layout.ProofFile(width == Tile.Width ? tile.Path() : tile.PartialPath(width)), FileOpening.Read)
            ?? (width < Tile.Width ? fileSystem.Open(layout.ProofFile(tile.Path()), FileOpening.Read) : null);
        if (file is null)
            return null;
        var bytes = new byte[Tile.Bytes + 1];
        var length = file.Read(bytes, 0);
        if (length != width * TreeHash.Length && length != Tile.Bytes)
            return null;
        var hashes = new TreeHash[width];
        for (var at = 0; at < hashes.Length; at++)
            hashes[at] = TreeHash.Read(bytes.AsSpan(at * TreeHash.Length));
        return hashes;
    }

    /// <summary>Writes tiles and makes their bytes durable, several by one flush. A file appears only under its name when it is whole.</summary>
    public void Write(IReadOnlyList<(Tile Tile, TreeHash[] Hashes)> tiles)
    {
        var open = new List<(IFile File, string Staging, string Path)>();
        try
        {
            foreach (var (tile, hashes) in tiles)
                Stage(tile, hashes, open);
            GroupFlush.FlushEach(open.ConvertAll(static each => each.File), fileSystem.ForEach);
            foreach (var (file, staging, path) in open)
            {
                file.Dispose();
                fileSystem.Move(staging, path);
            }
        }
        catch
        {
            open.ForEach(static each => each.File.Dispose());
            open.ForEach(each => DurableFile.TryDelete(fileSystem, each.Staging));
            throw;
        }
    }

    /// <summary>The number of whole tiles of level 0 without a gap from the first one on, by the names of the files.</summary>
    public long CountWhole()
    {
        for (var first = 0L; ; first += Tile.InFolder)
        {
            var folder = layout.ProofFile(new Tile(0, first).Path().AsSpan()[..^1]);
            HashSet<string> there = [.. fileSystem.ListIfThere(folder)];
            for (var index = first; index < first + Tile.InFolder; index++)
            {
                if (!there.Contains(new Tile(0, index).Path()[^1]))
                    return index;
            }
        }
    }

    private void Stage(Tile tile, TreeHash[] hashes, List<(IFile File, string Staging, string Path)> open)
    {
        var bytes = new byte[hashes.Length * TreeHash.Length];
        for (var at = 0; at < hashes.Length; at++)
            hashes[at].CopyTo(bytes.AsSpan(at * TreeHash.Length));
        var names = hashes.Length == Tile.Width ? tile.Path() : tile.PartialPath(hashes.Length);
        CreateFolders(names);
        var path = layout.ProofFile(names);
        var staging = $"{path}.{Guid.NewGuid():N}{StoreLayout.StagingEnding}";
        var file = fileSystem.CreateNew(staging) ?? throw new FileSystemException(FileError.Other, "create", staging, "its random name is taken");
        open.Add((file, staging, path));
        file.Write(bytes, 0);
    }

    private void CreateFolders(string[] names)
    {
        fileSystem.CreateFolder(layout.Proof);
        fileSystem.CreateFolder(layout.ProofFile([]));
        for (var depth = 1; depth < names.Length; depth++)
            fileSystem.CreateFolder(layout.ProofFile(names.AsSpan(0, depth)));
    }
}
