using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Storage.Opening;

namespace Opossum.Storage.Transfer;

/// <summary>Opens a store for work that only reads.</summary>
internal static class ReadOnlyStore
{
    /// <summary>Opens the store; disposing it disposes the file system, and so does a failure.</summary>
    /// <exception cref="StoreOpenException">The folder is not a store, or cannot be read.</exception>
    /// <exception cref="StoreDamagedException">The store's files contradict each other.</exception>
    public static OpenStore Open(IFileSystem fileSystem, StoreLayout layout, TimeProvider clock) =>
        new StoreOpening(fileSystem, layout, StoreSettings.ForOneRun(clock) with { ReadOnly = true }, NullLogger.Instance).Open();
}
