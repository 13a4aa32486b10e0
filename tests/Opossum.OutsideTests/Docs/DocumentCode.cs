namespace Opossum.DocTests;

/// <summary>
/// Code of the documents. Each test begins in an empty folder, whichever ran before it: the documents' stores have the same names, and the order of
/// the tests depends on where they are built.
/// </summary>
[Collection(nameof(TemporaryFolder))]
public abstract class DocumentCode
{
    protected DocumentCode()
    {
        foreach (var entry in new DirectoryInfo(Environment.CurrentDirectory).EnumerateFileSystemInfos())
        {
            if (entry is DirectoryInfo folder)
                folder.Delete(recursive: true);
            else
                entry.Delete();
        }
    }
}
