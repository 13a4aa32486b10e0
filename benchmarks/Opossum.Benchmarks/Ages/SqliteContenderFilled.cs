using Opossum.Benchmarks.Contenders;

namespace Opossum.Benchmarks.Ages;

/// <summary>SQLite with the events of a feed.</summary>
internal sealed class SqliteContenderFilled : IDisposable
{
    private const int Batch = 10_000;

    private readonly SqliteConnection connection;

    public SqliteContenderFilled(string folder, AgesFeed feed, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        connection = Open(folder);
        for (var first = 0; first < feed.Events; first += Batch)
        {
            cancellationToken.ThrowIfCancellationRequested();
            connection.TryAppend([.. Enumerable.Range(first, Math.Min(Batch, feed.Events - first)).Select(feed.Event)]);
        }
    }

    /// <summary>Opens the database of a folder, or a new one.</summary>
    public static SqliteConnection Open(string folder) => new(Path.Combine(folder, "events.db"), flush: false);

    public int Read(Tag tag) => connection.Read(tag, PayloadAs.Bytes, backwards: false).Events;

    public void Dispose() => connection.Dispose();
}
