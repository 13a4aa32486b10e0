using System.Text.Json;
using Opossum.FileSystem;
using Opossum.Projections.States;
using Opossum.Serialization;

namespace Opossum.Projections.Reading;

/// <summary>
/// Reads pages of states as they are stored, in the order of their files' names. Each page lists all names and keeps few of them, so memory does not
/// depend on the number of states.
/// </summary>
internal sealed class StatePageReader(ProjectionHost host, ProjectionLayout layout)
{
    private readonly IFileSystem fileSystem = host.FileSystem;
    private readonly StateFiles<byte[]> files = new(host.FileSystem, AsStored);

    public StoredStatePage ReadPage(string keyStart, string? after, int limit, CancellationToken cancellationToken) =>
        OfLive(live => ReadPage(live, keyStart, after, limit, cancellationToken)) ?? new StoredStatePage
        {
            States = [],
            Next = null,
        };

    public ProjectionEntry<byte[]>? Read(string key) => OfLive(live => files.Read(live, key)?.Entry);

    // Null: no states can be read yet.
    private T? OfLive<T>(Func<Generation, T?> look)
        where T : class => Generations.Look(fileSystem, layout, generations =>
    {
        if (Generations.Newest(generations, GenerationKind.Live) is not { } live)
            return null;
        Generations.ThrowIfLink(fileSystem, host.Folder, layout, live);
        return look(live);
    });

    private StoredStatePage ReadPage(Generation live, string keyStart, string? after, int limit, CancellationToken cancellationToken)
    {
        var (names, isCut) = Select(live, keyStart, after, cancellationToken);
        var page = new List<ProjectionEntry<byte[]>>();
        var bytes = 0L;
        var last = after;
        foreach (var (name, bucket, file) in names)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (files.ReadNamed(live, bucket, file)?.Entry is { } state && state.Key.StartsWith(keyStart, StringComparison.Ordinal))
            {
                bytes += state.State.Length;
                if (page.Count == limit || (bytes > host.Pages.BytesMax && page.Count > 0))
                    return new StoredStatePage { States = page, Next = last };
                page.Add(state);
            }
            last = name;
        }
        return new StoredStatePage { States = page, Next = isCut ? last : null };
    }

    // The first names after a name, in ascending order, and whether there are more.
    private (IEnumerable<(string Name, int Bucket, string File)> Names, bool IsCut) Select(Generation live, string keyStart, string? after,
        CancellationToken cancellationToken)
    {
        var start = KeyFileName.StartOf(keyStart);
        var isCut = false;
        var first = new PriorityQueue<(int Bucket, string File), string>(Comparer<string>.Create(static (one, other) =>
            string.CompareOrdinal(other, one)));
        foreach (var bucket in live.ListBuckets(fileSystem))
        {
            cancellationToken.ThrowIfCancellationRequested();
            foreach (var file in files.List(live, bucket))
            {
                var name = Generation.NameOfKey(file);
                if (name.SequenceCompareTo(after) <= 0 || !KeyFileName.MayStartWith(name, start))
                    continue;
                if (first.Count < host.Pages.FilesMax)
                {
                    first.Enqueue((bucket, file), name.ToString());
                    continue;
                }
                isCut = true;
                if (first.TryPeek(out _, out var greatest) && name.SequenceCompareTo(greatest) < 0)
                    first.EnqueueDequeue((bucket, file), name.ToString());
            }
        }
        return (first.UnorderedItems.OrderBy(static each => each.Priority, StringComparer.Ordinal)
            .Select(static each => (each.Priority, each.Element.Bucket, each.Element.File)), isCut);
    }

    private static byte[]? AsStored(ref Utf8JsonReader reader, ReadOnlySpan<byte> file, string key)
    {
        reader.Read();
        if (reader.TokenType == JsonTokenType.Null)
            return null;
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        return JsonText.Normalize(file[start..(int)reader.BytesConsumed]);
    }
}
