using System.Globalization;
using Opossum.FileSystem;
using Opossum.Following;
using Opossum.Serialization;

namespace Opossum.Projections.States;

/// <summary>Reads the states of a projection.</summary>
internal sealed class StateFiles<TState>(IFileSystem fileSystem, StateValue<TState> value)
    where TState : class
{
    private readonly OwnFolders folders = new(fileSystem);

    public StateFiles(IFileSystem fileSystem, Projection<TState> projection, IStateSealer sealer)
        : this(fileSystem, new StateJson<TState>(projection, sealer).Read)
    {
    }

    /// <summary>Reads the state of a key; null if it has no file, including when the generation was moved.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public StoredState<TState>? Read(Generation generation, string key)
    {
        folders.ThrowIfLink(generation.Bucket(Generation.BucketOf(key)));
        var path = generation.StateFile(key);
        if (ReadFile(path) is not { } stored)
            return null;
        // The file name of a long key contains a hash of the key.
        return stored.Key == key ? stored : throw OfAnotherKey(path, stored.Key);
    }

    public IEnumerable<string> List(Generation generation, int bucket)
    {
        var folder = generation.Bucket(bucket);
        folders.ThrowIfLink(folder);
        return fileSystem.List(folder).Where(Generation.IsStateFile);
    }

    /// <summary>Reads a file that was listed; null if it is gone.</summary>
    /// <exception cref="DamagedFileException">The file is damaged.</exception>
    public StoredState<TState>? ReadNamed(Generation generation, int bucket, string name)
    {
        var path = FilePath.Join(generation.Bucket(bucket), name);
        var stored = ReadFile(path);
        // Otherwise a key would be returned twice.
        return stored is null || generation.StateFile(stored.Key) == path ? stored : throw OfAnotherKey(path, stored.Key);
    }

    private StoredState<TState>? ReadFile(string path) =>
        CheckedFile.Read(fileSystem, path, ProjectionLayout.StateBytesMax, bytes => ChecksumTrailer.Judge(bytes) is { } problem
            ? (null, problem)
            : Parse(path, bytes));

    private (StoredState<TState>?, string?) Parse(string path, byte[] bytes)
    {
        try
        {
            return (StateFile.Read(CanonicalText.WithoutByteOrderMark(bytes), value), null);
        }
        catch (PersonalDataException)
        {
            throw;
        }
        catch (Exception e)
        {
            throw new DamagedFileException(path,
                $"cannot be converted to {typeof(TState)}: {e.Message} If that type has changed, raise the projection's version", e);
        }
    }

    private static DamagedFileException OfAnotherKey(string path, string key) =>
        new(path,
            string.Create(CultureInfo.InvariantCulture, $"contains the state of the key {NameRules.Quote(key)}, which does not match its name"));
}
