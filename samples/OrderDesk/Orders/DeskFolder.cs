using System.Reflection;
using Opossum;

namespace OrderDesk;

/// <summary>The folder of a desk: its store, its mails and its messages.</summary>
internal sealed class DeskFolder(string path)
{
    private static readonly Type[] types =
        [
            typeof(OrderPlaced), typeof(OrderPaid), typeof(OrderExpired), typeof(ConfirmationSent), typeof(DeskClosed), typeof(ClosingPublished),
        ];

    private static readonly string[] names = [.. types.Select(type => type.GetCustomAttribute<EventTypeAttribute>()!.Name)];

    public string Store => Path.Combine(path, "store");

    public string Mails => Path.Combine(path, "mails");

    public string Messages => Path.Combine(path, "messages.jsonl");

    /// <summary>Finds out whether the folder contains something else than a desk. It only reads.</summary>
    /// <returns>What is wrong, in words; null: the folder is missing or empty, or it is that of a desk.</returns>
    public async Task<string?> FindStrangerAsync(CancellationToken cancellationToken)
    {
        if (!Directory.Exists(path) || !Directory.EnumerateFileSystemEntries(path).Any())
            return null;
        if (!Directory.Exists(Store))
            return $"The folder {path} is not that of an order desk: it has content, but no store. Name another folder with --folder.";
        var options = Options();
        options.ReadOnly = true;
        await using var store = await FileSystemEventStore.OpenAsync(options, cancellationToken);
        var status = await store.GetStatusAsync(cancellationToken: cancellationToken);
        var stranger = status.EventTypes.Select(type => type.EventType).FirstOrDefault(type => !names.Contains(type));
        return stranger is null
            ? null
            : $"The store in {Store} is not that of an order desk: it holds events of the type \"{stranger}\". Name another folder with --folder.";
    }

    public Task<FileSystemEventStore> OpenAsync(CancellationToken cancellationToken) => FileSystemEventStore.OpenAsync(Options(), cancellationToken);

    private OpossumOptions Options()
    {
        var options = new OpossumOptions { Path = Store };
        foreach (var type in types)
            options.EventTypes.Add(type);
        return options;
    }
}
