
namespace Opossum.CliTests;

/// <summary>A test with a shell, and the store "sales" in its folder.</summary>
public abstract class StoreTest : IAsyncLifetime
{
    private protected Shell Shell { get; } = new();

    /// <summary>The folder of the store; see <see cref="CliTests.Sales"/>.</summary>
    private protected string Store => Shell.PathOf("sales");

    public virtual async ValueTask InitializeAsync() => await Sales.CreateAsync(Store);

    public ValueTask DisposeAsync()
    {
        Shell.Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }

    private protected string EventFile(int position) => Path.Combine(Store, "Events", "0000000000", $"{position:D10}.json");

    /// <summary>Every file of the store with its bytes, except the lock files, which appear when they are needed and say who took them.</summary>
    private protected Dictionary<string, string> FilesOfStore() => Directory.GetFiles(Store, "*", SearchOption.AllDirectories)
        .Where(file => !file.EndsWith(".lock", StringComparison.Ordinal))
        .ToDictionary(file => file, file => Convert.ToHexString(File.ReadAllBytes(file)));
}
