using Opossum.DocTests;

[assembly: AssemblyFixture(typeof(TemporaryFolder))]
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace Opossum.DocTests;

/// <summary>The current folder of all tests: the documents' code opens its stores by relative paths.</summary>
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
