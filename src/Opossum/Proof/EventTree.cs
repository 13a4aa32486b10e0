using Opossum.FileSystem;
using Opossum.Storage.Index;

namespace Opossum.Proof;

/// <summary>The Merkle tree over a store's events: whole tiles in files, the leaves after them from the events.</summary>
internal sealed class EventTree
{
    // The tiles read while others are hashed at the same time: 2 MiB.
    private const int TilesAtOnce = 64;
    private const int CachedTilesMax = 256;

    private readonly TileFiles files;
    private readonly LeafSource leaves;
    private readonly IFileSystem fileSystem;
    private readonly Dictionary<Tile, TreeHash[]> cache = [];
    private readonly CancellationToken cancellationToken;
    private IndexView view;

    /// <param name="cancellationToken">Cancels the look-up of hashes.</param>
    public EventTree(IFileSystem fileSystem, TileFiles files, LeafSource leaves, IndexView view, CancellationToken cancellationToken = default)
    {
        this.cancellationToken = cancellationToken;
        this.fileSystem = fileSystem;
        this.files = files;
        this.leaves = leaves;
        this.view = view;
        Tree = new MerkleTree(HashOf);
    }

    public MerkleTree Tree { get; }

    /// <summary>The number of leaves in files.</summary>
    public long Covered { get; private set; }

    /// <summary>The number of events that the tree can cover.</summary>
    public long Size => view.Contents.Head;

    /// <summary>Finds the files that match the events. Those that do not are written again by <see cref="Extend"/>.</summary>
    /// <remarks>
    /// A truncation or a restored backup may have replaced the last events. The tiles before the last ones that match were made of the same events.
    /// </remarks>
    public void Load()
    {
        cache.Clear();
        var whole = Math.Min(files.CountWhole(), Size / Tile.Width);
        while (whole > 0 && !Matches(whole - 1))
            whole--;
        Covered = whole * Tile.Width;
    }

    /// <summary>Writes the tiles that have become whole.</summary>
    /// <param name="to">The view of the index up to whose head events are hashed.</param>
    /// <param name="progress">Receives the number of events hashed so far.</param>
    /// <param name="cancellationToken">Cancels between two groups of tiles.</param>
    public void Extend(IndexView to, Action<long>? progress = null, CancellationToken cancellationToken = default)
    {
        view = to;
        // The process that wrote the last tile may have ended before the one above, in whose place may lie one of events that were cut off.
        if (Covered > 0)
            WriteParents(0, (Covered / Tile.Width) - 1);
        while (Size - Covered >= Tile.Width)
        {
            cancellationToken.ThrowIfCancellationRequested();
            var first = Covered / Tile.Width;
            // Up to where the tile above becomes whole: it is written before those that follow.
            var count = Math.Min(TilesAtOnce, Tile.Width - (first % Tile.Width));
            var tiles = new (Tile Tile, TreeHash[] Hashes)[Math.Min(count, (Size / Tile.Width) - first)];
            fileSystem.ForEach(tiles.Length, at => tiles[at] = (new Tile(0, first + at), HashEvents(first + at)));
            files.Write(tiles);
            Covered += (long)tiles.Length * Tile.Width;
            for (var index = first; index < first + tiles.Length; index++)
                WriteParents(0, index);
            progress?.Invoke(Covered);
        }
    }

    /// <summary>A hash of a level of tiles: a leaf, or the root of a whole tile of the level below.</summary>
    public TreeHash HashOf(int level, long number)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (ReadCached(new Tile(level, number / Tile.Width)) is { } hashes)
            return hashes[number % Tile.Width];
        return level == 0 ? leaves.Of(view, number + 1) : RootOf(new Tile(level - 1, number));
    }

    // The tiles of a level before the one above: where that is missing, its hashes are computed from the level below.
    private void WriteParents(int level, long index)
    {
        if ((index + 1) % Tile.Width != 0)
            return;
        var parent = new Tile(level + 1, index / Tile.Width);
        var hashes = new TreeHash[Tile.Width];
        for (var at = 0; at < hashes.Length; at++)
            hashes[at] = RootOf(new Tile(level, (parent.Index * Tile.Width) + at));
        files.Write([(parent, hashes)]);
        WriteParents(level + 1, parent.Index);
    }

    private TreeHash[] HashEvents(long tile)
    {
        var hashes = new TreeHash[Tile.Width];
        for (var at = 0; at < hashes.Length; at++)
            hashes[at] = leaves.Of(view, (tile * Tile.Width) + at + 1);
        return hashes;
    }

    private bool Matches(long tile) => files.Read(new Tile(0, tile)) is { } hashes
        && hashes[0] == leaves.Of(view, (tile * Tile.Width) + 1)
        && hashes[^1] == leaves.Of(view, (tile + 1) * Tile.Width);

    private TreeHash RootOf(Tile tile)
    {
        var hashes = new TreeHash[Tile.Width];
        if (ReadCached(tile) is { } read)
        {
            read.CopyTo(hashes, 0);
        }
        else
        {
            for (var at = 0; at < hashes.Length; at++)
                hashes[at] = HashOf(tile.Level, (tile.Index * Tile.Width) + at);
        }
        return TreeHash.OfPerfect(hashes);
    }

    // Only tiles up to what is covered are read. Later files may be left of events that were cut off.
    private TreeHash[]? ReadCached(Tile tile)
    {
        if (tile.LastLeaf > Covered)
            return null;
        if (cache.TryGetValue(tile, out var cached))
            return cached;
        if (files.Read(tile) is not { } read)
            return null;
        if (cache.Count >= CachedTilesMax)
            cache.Clear();
        return cache[tile] = read;
    }
}
