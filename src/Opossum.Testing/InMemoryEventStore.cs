using Opossum.Testing.Simulated;

namespace Opossum.Testing;

/// <summary>Opens in-memory stores for tests: the real engine over a simulated disk.</summary>
/// <example><code>
/// await using var store = InMemoryEventStore.Open();
/// await store.AppendAsync([NewEvent.FromJson("order-placed", """{ "total": 12 }""", new Tag("order", "o1"))]);
/// </code></example>
public static class InMemoryEventStore
{
    private const string Root = "/store";

    /// <summary>
    /// Opens an empty store. Disposing it discards its content. Personal data is encrypted with a new master key, unless the options have one.
    /// </summary>
    /// <param name="options">The options; <see cref="OpossumOptions.Path"/> is ignored. Default: null, which means default options.</param>
    /// <exception cref="ArgumentException">An option is invalid; the message names it.</exception>
    public static FileSystemEventStore Open(OpossumOptions? options = null)
    {
        options = TestOptions.Of(options, MasterKey.Create());
        if (options.ReadOnly)
        {
            throw new ArgumentException($"{nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} must be false: a store in memory starts "
                + "empty and would stay empty.", nameof(options));
        }

        return FileSystemEventStore.Open(options, new SimulatedDisk(clock: options.TimeProvider).Attach(), Root, create: true, isInMemory: true);
    }
}
