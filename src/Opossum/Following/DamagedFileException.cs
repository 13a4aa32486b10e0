namespace Opossum.Following;

/// <summary>A file of a projection or a reaction exists, but its contents are not valid.</summary>
/// <param name="problem">What is wrong, as the end of a sentence that starts with the file.</param>
/// <param name="cause">The error of the JSON reader, if any.</param>
internal sealed class DamagedFileException(string path, string problem, Exception? cause = null) : Exception($"{path} {problem}", cause)
{
    public string Path { get; } = path;

    public string Problem { get; } = problem;
}
