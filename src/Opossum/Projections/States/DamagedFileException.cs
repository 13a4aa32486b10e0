namespace Opossum.Projections.States;

/// <summary>A file of a projection is there and is not what it should be.</summary>
/// <param name="path">The file.</param>
/// <param name="problem">What is wrong, as the end of a sentence that begins with the file.</param>
/// <param name="cause">What a reader of JSON said, if it did.</param>
internal sealed class DamagedFileException(string path, string problem, Exception? cause = null) : Exception($"{path} {problem}", cause)
{
    public string Path { get; } = path;

    public string Problem { get; } = problem;

    /// <summary>As users hear of it.</summary>
    public ProjectionDamagedException Of(string projection) =>
        new(projection, Path, $"{Path} {Problem}. Build the states of {projection} again with RebuildAsync; the events are not affected.", this);
}
