namespace Opossum.Benchmarks.Contenders;

/// <summary>Makes contenders by name.</summary>
internal static class Contender
{
    /// <summary>Opens a contender in its own folder, whose parent exists.</summary>
    public static async Task<IContender> OpenAsync(string name, string folder, bool flush = true)
    {
        switch (name)
        {
            case ContenderName.RawFiles:
                return new RawFilesContender(folder, flush);
            case ContenderName.RawLog:
                Directory.CreateDirectory(folder);
                return new RawLogContender(Path.Combine(folder, "events.log"));
            case ContenderName.RawLogInPlace:
                Directory.CreateDirectory(folder);
                return new RawLogContender(Path.Combine(folder, "events.log"), isInPlace: true);
            default:
                var store = CreateStore(name, folder, flush);
                await store.OpenAsync();
                return store;
        }
    }

    /// <summary>Makes a contender that is a store, not open yet.</summary>
    public static IStoreContender CreateStore(string name, string folder, bool flush = true) => name switch
    {
        ContenderName.Opossum => new OpossumContender(folder, flush),
        ContenderName.OpossumWithJournal => new OpossumContender(folder, flush, useJournal: true),
        ContenderName.Sqlite => new SqliteContender(folder, flush),
        ContenderName.SqliteOnShare => new SqliteContender(folder, flush, isOnShare: true),
        ContenderName.GroupedSqlite => new GroupedSqliteContender(folder, flush),
        _ => throw new ArgumentException($"There is no contender {name}.", nameof(name)),
    };
}
