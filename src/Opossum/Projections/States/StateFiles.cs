using System.Globalization;
using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>Reads the states of a projection.</summary>
internal sealed class StateFiles<TState>(IFileSystem fileSystem, Projection<TState> projection)
    where TState : class
{
    private readonly OwnFolders folders = new(fileSystem);

    /// <summary>The state of a key; null when there is no file of it, also because the generation is no longer where it was.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public StoredState<TState>? Read(Generation generation, string key)
    {
        folders.ThrowIfLink(generation.Bucket(KeyFileName.BucketOf(key)));
        var path = generation.StateFile(key);
        if (ReadFile(path) is not { } stored)
            return null;
        // The name of a long key holds a hash of it.
        return stored.Key == key ? stored : throw OfAnotherKey(path, stored.Key);
    }

    /// <summary>All states of a folder of them, except files that are gone.</summary>
    /// <exception cref="DamagedFileException">A file is damaged.</exception>
    public IEnumerable<StoredState<TState>?> ReadAll(Generation generation, int bucket)
    {
        var folder = generation.Bucket(bucket);
        folders.ThrowIfLink(folder);
        foreach (var name in fileSystem.List(folder))
        {
            if (!Generation.IsStateFile(name))
                continue;
            var path = FilePath.Join(folder, name);
            var stored = ReadFile(path);
            // Or a key would come twice.
            if (stored is not null && generation.StateFile(stored.Key) != path)
                throw OfAnotherKey(path, stored.Key);
            yield return stored;
        }
    }

    private StoredState<TState>? ReadFile(string path) =>
        ProjectionFile.Read(fileSystem, path, ProjectionLayout.StateBytesMax, bytes => ChecksumTrailer.Judge(bytes) is { } problem ? (null, problem) : Parse(path, bytes));

    private (StoredState<TState>?, string?) Parse(string path, byte[] bytes)
    {
        try
        {
            return (StateFile.Read(CanonicalText.WithoutByteOrderMark(bytes), projection.Json), null);
        }
        catch (Exception e)
        {
            throw new DamagedFileException(path, $"cannot be made into {typeof(TState)}: {e.Message} If that type has changed, raise the projection's version", e);
        }
    }

    private static DamagedFileException OfAnotherKey(string path, string key) =>
        new(path, string.Create(CultureInfo.InvariantCulture, $"holds the state of the key {NameRules.Quote(key)}, which is not that of its name"));
}
