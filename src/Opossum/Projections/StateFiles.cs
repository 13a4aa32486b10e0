using Opossum.FileSystem;
using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>Reads the states of a projection.</summary>
internal sealed class StateFiles<TState>(IFileSystem fileSystem, Projection<TState> projection)
    where TState : class
{
    private const int TriesMax = 5;

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

    /// <summary>The state of a key; null when there is no file of it, also because the generation is no longer where it was.</summary>
    /// <exception cref="ProjectionDamagedException">The file cannot be read.</exception>
    public StoredState<TState>? Read(Generation generation, string key)
    {
        var path = generation.StateFile(key);
        if (ReadFile(path) is not { } stored)
            return null;
        // The name of a long key holds a hash of it.
        return stored.Key == key ? stored : throw Damaged(path, $"holds the state of the key {Texts.Quote(stored.Key)} instead of {Texts.Quote(key)}");
    }

    /// <summary>What a state's file holds; null when it is not there.</summary>
    /// <exception cref="ProjectionDamagedException">The file cannot be read.</exception>
    public StoredState<TState>? ReadFile(string path)
    {
        for (var tries = 1; ; tries++)
        {
            if (ProjectionFile.ReadBytes(fileSystem, path) is not { } bytes)
                return null;
            if (ChecksumTrailer.Judge(bytes) is not { } problem)
                return Parse(path, bytes);
            // On a share this machine may have seen a part of what another has written.
            if (tries == TriesMax)
                throw Damaged(path, problem);
            fileSystem.Pause(pause);
        }
    }

    private StoredState<TState> Parse(string path, byte[] bytes)
    {
        try
        {
            return StateFile.Read(bytes, projection.Json);
        }
        catch (Exception e)
        {
            throw Damaged(path, $"cannot be made into {typeof(TState)}: {e.Message} If that type has changed, raise the projection's version", e);
        }
    }

    private ProjectionDamagedException Damaged(string path, string problem, Exception? innerException = null) =>
        new(projection.Name, path, $"The state in {path} {problem}. Build the states of {projection.Name} again with RebuildAsync; the events are not affected.", innerException);
}
