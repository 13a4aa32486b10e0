namespace Opossum.CliTests;

/// <summary>A test with the store "people", whose events 1 and 2 have an encrypted e-mail address of customer:c1 and customer:c2.</summary>
public abstract class PersonalTest : IAsyncLifetime
{
    private protected const string Secret = "ann@example.org";

    private protected Shell Shell { get; } = new();

    private protected string Store => Shell.PathOf("people");

    private protected string KeyFile => Shell.PathOf("people.masterkey");

    private protected string AnnsFile(string ending = ".json") => Path.Combine(Store, "Keys", $"customer%3ac1{ending}");

    public async ValueTask InitializeAsync()
    {
        (await Shell.RunAsync("master-key", "new", KeyFile)).Succeeded();
        await using var store = await OpenAsync(Store);
        await store.AppendAsync(Registered("c1", Secret));
        await store.AppendAsync(Registered("c2", "bob@example.org"));
    }

    public ValueTask DisposeAsync()
    {
        Shell.Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    private protected Task<FileSystemEventStore> OpenAsync(string path, string? keysFolder = null) =>
        FileSystemEventStore.OpenAsync(new OpossumOptions
        {
            Path = path,
            EventTypes = new EventTypeRegistry().AddPersonal("customer-registered", "email", "customer"),
            PersonalData = { MasterKeyFile = KeyFile, KeysFolder = keysFolder },
        });

    private protected static NewEvent Registered(string id, string email) =>
        NewEvent.FromJson("customer-registered", $$"""{"email":"{{email}}","city":"Springfield"}""", new Tag("customer", id));

    private protected Dictionary<string, string> FilesOfStore() => Directory.GetFiles(Store, "*", SearchOption.AllDirectories)
        .Where(file => !Path.GetFileName(file).EndsWith(".lock", StringComparison.Ordinal))
        .ToDictionary(file => file, file => Convert.ToHexString(File.ReadAllBytes(file)));

    private protected static void CopyFolder(string from, string to)
    {
        foreach (var file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }
}
