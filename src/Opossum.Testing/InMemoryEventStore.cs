using Opossum.Testing.Simulated;

namespace Opossum.Testing;

/// <summary>Opens stores that live in this process's memory: the real engine over a simulated disk. For tests.</summary>
/// <example><code>
/// await using var store = InMemoryEventStore.Open();
/// await store.AppendAsync([NewEvent.FromJson("order-placed", """{ "total": 12 }""", new Tag("order", "o1"))]);
/// </code></example>
public static class InMemoryEventStore
{
    private const string Root = "/store";

    /// <summary>Opens an empty store. It is gone when it is disposed.</summary>
    /// <param name="options">How to open it; <see cref="OpossumOptions.Path"/> is not used. Null, the default: all defaults.</param>
    /// <exception cref="ArgumentException">An option is not allowed; the message names it.</exception>
    public static FileSystemEventStore Open(OpossumOptions? options = null)
    {
        options ??= new OpossumOptions();
        OpossumOptionsValidator.ThrowIfInvalid(options, pathRequired: false);
        if (options.ReadOnly)
            throw new ArgumentException($"{nameof(OpossumOptions)}.{nameof(OpossumOptions.ReadOnly)} must be false: a store in memory begins empty, and would stay so.", nameof(options));
        return FileSystemEventStore.Open(options, new SimulatedDisk(clock: options.TimeProvider).Attach(), Root, create: true, isInMemory: true);
    }
}
