using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.ShopFloor;

/// <summary>One Opossum store for all producers.</summary>
internal sealed class StoreIntake(FileSystemEventStore store) : IIntake
{
    public string Name => ContenderName.Opossum;

    public Task AppendAsync(int producer, NewEvent newEvent) => store.AppendAsync(newEvent);

    public async Task<Digest> ReadBackAsync()
    {
        var digest = default(Digest);
        await foreach (var each in store.ReadAsync(Query.All))
            digest = digest.With(each.Json.Span);
        return digest;
    }

    public ValueTask DisposeAsync() => store.DisposeAsync();
}
