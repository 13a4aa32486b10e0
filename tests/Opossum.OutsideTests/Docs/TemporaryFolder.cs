using Opossum.DocTests;

[assembly: AssemblyFixture(typeof(TemporaryFolder))]

namespace Opossum.DocTests;

/// <summary>
/// The current folder of all tests: the documents' code opens its stores by relative paths. Its tests use the same names, so they run one after the
/// other.
/// </summary>
public sealed class TemporaryFolder : IDisposable
{
    private readonly string before = Environment.CurrentDirectory;
    private readonly string folder = Directory.CreateTempSubdirectory("opossum-docs-").FullName;

    public TemporaryFolder() => Environment.CurrentDirectory = folder;

    public void Dispose()
    {
        Environment.CurrentDirectory = before;
        Directory.Delete(folder, recursive: true);
    }
}
