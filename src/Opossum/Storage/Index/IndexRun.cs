using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Storage.Index;

/// <summary>
/// A part of the index that does not change: the names, positions and places of lines of a range of positions, looked up in a file by
/// pages that are kept in memory while they are used.
/// </summary>
internal sealed class IndexRun : IIndexPart, IDisposable
{
    // The number of pages that most lookups use, and that follow each other, which are read at once.
    private const int SharedAtOnce = 8;

    private readonly PageCache cache;
    private readonly CachedPages pages;
    private readonly Func<IndexRun, int, RunContent> makeAgain;
    private readonly Lock gate = new();
    private readonly uint seed;
    // As the header says; a lookup would work them out several times.
    private readonly int startsPage, filterPage, directoryPage, filterBlocks, buckets;
    private RunContent content;

    /// <param name="makeAgain">Opens the run's file again, or makes the same pages of the frames again, when one with a number is damaged.</param>
    public IndexRun(RunHeader header, RunContent content, PageCache cache, Func<IndexRun, int, RunContent> makeAgain)
    {
        Header = header;
        this.content = content;
        this.cache = cache;
        pages = new CachedPages(header.PageCount);
        this.makeAgain = makeAgain;
        seed = header.Seed;
        (startsPage, filterPage, directoryPage, NamesPage) = (header.StartsPage, header.FilterPage, header.DirectoryPage, header.NamesPage);
        (filterBlocks, buckets) = (header.FilterBlocks, header.Buckets);
    }

    public RunHeader Header { get; }

    public int NamesPage { get; }

    public int Basis => Header.Basis;

    public int Last => Header.Last;

    public int TypeAt(int position)
    {
        var number = position - Basis - 1;
        return TypeIn(Page(Header.TypesPage + number / Header.TypesInPage), number);
    }

    /// <summary>The type of an event in a page of them.</summary>
    /// <param name="number">The number of the event in the run, from 0.</param>
    public int TypeIn(byte[] page, int number)
    {
        var bytes = page.AsSpan(number % Header.TypesInPage * Header.TypeWidth);
        var type = Header.TypeWidth switch
        {
            1 => bytes[0],
            2 => BinaryPrimitives.ReadUInt16LittleEndian(bytes),
            _ => BinaryPrimitives.ReadInt32LittleEndian(bytes),
        };
        return (uint)type < (uint)Header.TypeCount ? type : throw Forged();
    }

    /// <summary>The offset at which the line of the position ends; for the basis, the offset at which the first one begins.</summary>
    [MethodImpl(FirstCall.Optimized)]
    public long LineEnd(int position)
    {
        var number = position - Basis;
        if (number == 0)
            return Header.LineStart;
        // Where the next one begins.
        return number == Header.Count ? Header.LineEnd
            : Within(GroupStart(number / RunHeader.LinesInGroup) + StartIn(Page(startsPage + number / RunHeader.StartsInPage), number));
    }

    /// <summary>The offset at which the lines of a group begin; after the last group, where the last copy ends.</summary>
    /// <param name="group">The number of the group in the run, from 0.</param>
    [MethodImpl(FirstCall.Optimized)]
    public long GroupStart(int group) => Within(StatedGroupStart(group));

    private long StatedGroupStart(int group) => group * RunHeader.LinesInGroup >= Header.Count ? Header.LineEnd
        : GroupStartIn(SharedPage(RunHeader.GroupsPage + group / RunHeader.GroupsInPage, startsPage), group);

    /// <summary>The place of a line: those of the run's events are between two places that its neighbours state too.</summary>
    public long Within(long place) => place >= Header.LineStart && place <= Header.LineEnd ? place : throw Forged();

    /// <summary>Where a group begins, in the page that says so.</summary>
    public static long GroupStartIn(byte[] page, int group) =>
        BinaryPrimitives.ReadInt64LittleEndian(page.AsSpan(group % RunHeader.GroupsInPage * sizeof(long)));

    /// <summary>The distance of an event's copy from the start of its group, in the page that has it.</summary>
    /// <param name="number">The number of the event in the run, from 0.</param>
    public static uint StartIn(byte[] page, int number) =>
        BinaryPrimitives.ReadUInt32LittleEndian(page.AsSpan(number % RunHeader.StartsInPage * sizeof(uint)));

    public ItemCursor? CursorFor(SoughtItem item, int head)
    {
        var tags = new Postings[item.Tags.Length];
        for (var at = 0; at < tags.Length; at++)
        {
            if (Find(item.Tags[at]) is not { } found)
                return null;
            tags[at] = PostingsOf(found);
        }
        Array.Sort(tags, static (left, right) => left.Count.CompareTo(right.Count));
        if (item.Types.Length == 0)
            return new ItemCursor(tags, [], [], this);
        var types = new List<RunPlace>(item.Types.Length);
        foreach (var type in item.Types)
        {
            if (Find(type) is { } found)
                types.Add(found);
        }
        if (types.Count == 0)
            return null;
        if (tags.Length > 0)
            return new ItemCursor(tags, [], [.. types.Select(static type => type.TypeNumber)], this);
        return new ItemCursor([], [.. types.Select(PostingsOf)], [], this);
    }

    public bool Prefetch(SoughtItem item)
    {
        if (!cache.SlowReads.AreLikely)
            return false;
        if (Array.TrueForAll(item.Tags, PrefetchName))
            Array.ForEach(item.Types, type => PrefetchName(type));
        return true;
    }

    public IndexTail NewTail() => new(Last, Header.LineEnd, Header.Chain);

    public bool Has(RunName name) => Find(name) is not null;

    /// <summary>Writes the run elsewhere, byte for byte as it is.</summary>
    public RunHeader CopyTo(RunOutput output)
    {
        output(Header.ToPage(), 0);
        for (var number = 1; number < Header.PageCount; number++)
            output(ReadPage(number), number * (long)RunPage.Length);
        return Header;
    }

    /// <summary>A page of the run, which stays in memory while it is used.</summary>
    /// <exception cref="FileSystemException">It is damaged, and so are the frames of which it would be made again.</exception>
    [MethodImpl(FirstCall.Optimized)]
    public byte[] Page(int number) => pages.Find(number) ?? ReadAndKeep(number);

    // A page of a small section that most lookups use.
    [MethodImpl(FirstCall.Optimized)]
    private byte[] SharedPage(int number, int sectionEnd) => pages.Find(number) ?? ReadAndKeepShared(number, sectionEnd);

    private byte[] ReadAndKeep(int number)
    {
        var begun = cache.SlowReads.Begin();
        var page = ReadPage(number);
        cache.SlowReads.End(begun);
        cache.Add(pages, number, page, isShared: false);
        return page;
    }

    private byte[] ReadAndKeepShared(int number, int sectionEnd)
    {
        var page = null as byte[];
        var count = Math.Min(SharedAtOnce, sectionEnd - number);
        var there = ArrayPool<byte>.Shared.Rent(count * RunPage.Length);
        var begun = cache.SlowReads.Begin();
        var got = ReadNeighbours(number, there.AsSpan(0, count * RunPage.Length));
        cache.SlowReads.End(begun);
        for (var at = 0; at < got; at++)
        {
            var read = NewPage();
            there.AsSpan(at * RunPage.Length, RunPage.Length).CopyTo(read);
            if (!RunPage.IsValid(read, seed, number + at))
                break;
            cache.Add(pages, number + at, read, isShared: true);
            page ??= read;
        }
        ArrayPool<byte>.Shared.Return(there);
        return page ?? ReadAndKeep(number);
    }

    /// <summary>Reads a page from the file. If it is damaged, the run is made again of the frames.</summary>
    public byte[] ReadPage(int number)
    {
        if (number >= Header.PageCount)
            throw Forged();
        var page = NewPage();
        var read = Volatile.Read(ref content);
        if (TryRead(read, number, page, seed))
            return page;
        lock (gate)
        {
            // Another thread may have done it.
            if (read == content || !TryRead(content, number, page, seed))
            {
                var made = makeAgain(this, number);
                if (!TryRead(made, number, page, seed))
                    throw Forged();
                content.Dispose();
                Volatile.Write(ref content, made);
            }
        }
        return page;
    }

    /// <summary>A length from the file as that of an array. It is within the section, or the pages were not written by this library.</summary>
    public int Checked(long length, long lengthMax) => length <= lengthMax ? (int)length : throw Forged();

    /// <summary>The error for content that is valid by its checksums and contradicts itself.</summary>
    public FileSystemException Forged() =>
        new(FileError.Other, "read", content.Path, "its pages are valid and contradict each other. Rebuild the index");

    /// <summary>Lets its pages go first, because another run takes its place. Readers may go on using it.</summary>
    public void GiveUpPages() => pages.GiveUp();

    public void Dispose() => content.Dispose();

    /// <summary>Reads a page; false when it is damaged or cannot be read.</summary>
    public static bool TryRead(RunContent read, int number, byte[] page, uint seed)
    {
        try
        {
            return read.TryRead(number, page) && RunPage.IsValid(page, seed, number);
        }
        catch (Exception e) when (e is FileSystemException or ObjectDisposedException)
        {
            // The file was replaced by a longer run and deleted, its mount was lost, or the disk cannot read it.
            return false;
        }
    }

    // Returns the number of whole pages that were read; none where one page alone must be read, which mends the run.
    private int ReadNeighbours(int number, Span<byte> target)
    {
        try
        {
            return Volatile.Read(ref content).Read(number, target) / RunPage.Length;
        }
        catch (Exception e) when (e is FileSystemException or ObjectDisposedException)
        {
            return 0;
        }
    }

    private static byte[] NewPage() => GC.AllocateUninitializedArray<byte>(RunPage.Length);

    private Postings PostingsOf(RunPlace place)
    {
        if (place.Count > RunWriter.BlockLength)
            return new RunPostings(this, place);
        var positions = new int[place.Count];
        var offset = (int)(place.ListOffset % RunPage.ContentLength);
        if (offset + place.ListLength <= RunPage.ContentLength)
        {
            var inPage = new VarintReader(Page(NamesPage + (int)(place.ListOffset / RunPage.ContentLength)), offset);
            var position = Basis;
            foreach (ref var next in positions.AsSpan())
                next = position = inPage.TryRead(out var distance) ? NextOf(position, distance) : throw Forged();
        }
        else
        {
            var reader = new RunReader(this, NamesPage, place.ListOffset);
            ReadList(ref reader, positions);
        }
        return new ArrayPostings(positions, positions.Length);
    }

    /// <summary>Reads a list that is not cut into blocks.</summary>
    public void ReadList(ref RunReader reader, Span<int> positions)
    {
        var position = Basis;
        foreach (ref var place in positions)
            place = position = NextOf(position, reader.ReadVarint());
    }

    /// <summary>The position that follows another at a distance. It is within the run, or the pages were not written by this library.</summary>
    public int NextOf(int position, long distance) => distance > 0 && position + distance <= Last ? (int)(position + distance) : throw Forged();

    // As far as the pages in memory show. False: the run does not have the name.
    private bool PrefetchName(RunName name)
    {
        var block = RunHeader.PartOf(name.Hash, filterBlocks);
        var filter = FindOrPrefetch(filterPage + block / RunHeader.FilterBlocksInPage, directoryPage);
        if (filter is not null && !FilterBits.MayContain(FilterBlock(filter, block), name.Hash))
            return false;
        var bucket = RunHeader.PartOf(name.Hash, buckets);
        var directory = FindOrPrefetch(directoryPage + bucket / RunHeader.DirectoryEntriesInPage, NamesPage);
        if (filter is not null && directory is not null)
        {
            var names = NamesPage + (int)(NamesOffsetIn(directory, bucket) / RunPage.ContentLength);
            FindOrPrefetch(names, names + 1);
        }
        return true;
    }

    // As many pages as are read at once.
    private byte[]? FindOrPrefetch(int number, int sectionEnd)
    {
        if (pages.Find(number) is { } page)
            return page;
        try
        {
            Volatile.Read(ref content).Prefetch(number, Math.Min(SharedAtOnce, sectionEnd - number));
        }
        catch (ObjectDisposedException)
        {
            // The file was replaced by a longer run and deleted.
        }
        return null;
    }

    private static ReadOnlySpan<byte> FilterBlock(byte[] page, int block) =>
        page.AsSpan(block % RunHeader.FilterBlocksInPage * RunHeader.FilterBlockLength, RunHeader.FilterBlockLength);

    [MethodImpl(FirstCall.Optimized)]
    private RunPlace? Find(RunName name)
    {
        var block = RunHeader.PartOf(name.Hash, filterBlocks);
        var filter = SharedPage(filterPage + block / RunHeader.FilterBlocksInPage, directoryPage);
        if (!FilterBits.MayContain(FilterBlock(filter, block), name.Hash))
            return null;
        var bucket = RunHeader.PartOf(name.Hash, buckets);
        var start = NamesOffset(bucket);
        var end = bucket + 1 < buckets ? NamesOffset(bucket + 1) : Header.NamesLength;
        if (end < start)
            throw Forged();
        if (end == start)
            return null;
        var first = start / RunPage.ContentLength;
        return end <= (first + 1) * RunPage.ContentLength
            ? FindInPage(name, Page(NamesPage + (int)first), first * RunPage.ContentLength, start, end)
            : FindInPages(name, start, end);
    }

    // Most buckets are within a page.
    [MethodImpl(FirstCall.Optimized)]
    private RunPlace? FindInPage(RunName name, byte[] page, long pageOffset, long start, long end)
    {
        var reader = new VarintReader(page.AsSpan(0, (int)(end - pageOffset)), (int)(start - pageOffset));
        while (reader.Remaining > 0)
        {
            if (!reader.TryRead(out var stated) || stated / 2 > reader.Remaining)
                throw Forged();
            var (length, isType) = (stated / 2, stated % 2 == 1);
            var isFound = isType == name.IsType && page.AsSpan(reader.Place, length).SequenceEqual(name.Text);
            var typeNumber = -1;
            if (!reader.TrySkip(length) || (isType && !reader.TryRead(out typeNumber)) || !reader.TryRead(out var count)
                || !reader.TryRead(out var listLength))
            {
                throw Forged();
            }
            if (isFound)
                return new RunPlace(typeNumber, Checked(count, Header.Count), pageOffset + reader.Place, listLength);
            if (!reader.TrySkip(listLength))
                throw Forged();
        }
        return null;
    }

    private RunPlace? FindInPages(RunName name, long start, long end)
    {
        var reader = new RunReader(this, NamesPage, start);
        while (reader.Offset < end)
        {
            var (length, isType) = ReadLength(ref reader);
            var isFound = isType == name.IsType && length == name.Text.Length;
            if (isFound)
                isFound = reader.ReadAndCompare(name.Text);
            else
                reader.Skip(length);
            var place = ReadPlace(ref reader, isType);
            if (isFound)
                return place;
            reader.Skip(place.ListLength);
        }
        return null;
    }

    /// <summary>Reads the length of a name's text, and whether it is a type.</summary>
    public (int Length, bool IsType) ReadLength(ref RunReader reader)
    {
        var length = reader.ReadVarint();
        return (Checked(length / 2, Header.NamesLength), length % 2 == 1);
    }

    /// <summary>Reads what follows a name's text; the reader is then at its positions.</summary>
    public RunPlace ReadPlace(ref RunReader reader, bool isType)
    {
        var typeNumber = isType ? Checked(reader.ReadVarint(), Header.TypeCount - 1) : -1;
        var count = Checked(reader.ReadVarint(), Header.Count);
        var length = reader.ReadVarint();
        return new RunPlace(typeNumber, count, reader.Offset, length);
    }

    private long NamesOffset(int bucket) =>
        NamesOffsetIn(SharedPage(directoryPage + bucket / RunHeader.DirectoryEntriesInPage, NamesPage), bucket);

    private static long NamesOffsetIn(byte[] page, int bucket)
    {
        var bytes = page.AsSpan(bucket % RunHeader.DirectoryEntriesInPage * RunHeader.OffsetLength);
        return BinaryPrimitives.ReadUInt32LittleEndian(bytes) | (long)bytes[sizeof(uint)] << 32;
    }
}
