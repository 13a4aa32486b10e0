using Opossum.FileSystem;

namespace Opossum.Storage.Reading;

/// <summary>Counts the files below a folder and their bytes while other processes create and remove files there.</summary>
internal sealed class FolderSize(IFileSystem fileSystem)
{
    public (long Files, long Bytes) Of(string folder)
    {
        var names = fileSystem.ListIfThere(folder);
        var files = 0L;
        var bytes = 0L;
        var folders = new bool[names.Count];
        fileSystem.ForEach(names.Count, at =>
        {
            var path = FilePath.Join(folder, names[at]);
            switch (fileSystem.GetKind(path))
            {
                case EntryKind.File when LengthOf(path) is { } length:
                    Interlocked.Increment(ref files);
                    Interlocked.Add(ref bytes, length);
                    break;
                case EntryKind.Folder:
                    // A link's target lies elsewhere and does not count.
                    folders[at] = !fileSystem.IsLink(path);
                    break;
            }
        });
        for (var at = 0; at < names.Count; at++)
        {
            if (!folders[at])
                continue;
            var below = Of(FilePath.Join(folder, names[at]));
            files += below.Files;
            bytes += below.Bytes;
        }
        return (files, bytes);
    }

    // Null: it is gone, or is not a regular file.
    private long? LengthOf(string path)
    {
        try
        {
            using var file = fileSystem.Open(path, FileOpening.Read);
            return file?.GetLength();
        }
        catch (FileSystemException e) when (e.OtherKind is not null)
        {
            return null;
        }
    }
}
