using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Index;

namespace Opossum.Storage.Check;

/// <summary>Checks that every page of the index's runs is as it was written.</summary>
internal sealed class RunsCheck(StoreFolder folder, Action<StoreFinding> find)
{
    public void Run(CancellationToken cancellationToken)
    {
        foreach (var name in folder.FileSystem.List(folder.Layout.Index))
        {
            if (!StoreLayout.TryParseRunName(name, out var first, out _))
                continue;
            var path = FilePath.Join(folder.Layout.Index, name);
            try
            {
                if (FindProblem(path, cancellationToken) is { } problem)
                    Find(problem, path, first);
            }
            catch (FileSystemException e) when (e.Error == FileError.HandleLost && folder.FileSystem.GetKind(path) == EntryKind.Missing)
            {
                // Another machine has replaced it by a longer one.
            }
            catch (FileSystemException e) when (e.IsOutOfReach)
            {
                find(StoreFinding.Of(FindingKind.UnreadableFile, path, $"{path} cannot be read: {e.Message}", Remedy.MakeReadable, first));
            }
            catch (FileSystemException e)
            {
                Find(e.OtherKind ?? $"cannot be read: {e.Message.TrimEnd('.')}", path, first);
            }
        }
    }

    private void Find(string problem, string path, long first) => find(StoreFinding.Of(FindingKind.IndexMismatch, path,
        $"{path} {problem}; a store that reads it uses {folder.Layout.IndexFile} instead, so no answer is wrong", Remedy.RebuildIndex, first));

    private string? FindProblem(string path, CancellationToken cancellationToken)
    {
        using var file = folder.FileSystem.Open(path, FileOpening.Read);
        // A process may have replaced it by a longer one since the folder was listed.
        return file is null ? null : FindProblem(file, cancellationToken);
    }

    private string? FindProblem(IFile file, CancellationToken cancellationToken)
    {
        var page = new byte[RunPage.Length];
        if (file.Read(page, 0) < page.Length || RunHeader.Read(page, folder.Id!.Value) is not { } header)
            return "is not a run of this store's index";
        var seed = header.Seed;
        for (var number = 1; number < header.PageCount; number++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (file.Read(page, number * (long)page.Length) < page.Length || !RunPage.IsValid(page, seed, number))
                return $"is damaged in the {page.Length} bytes from {number * (long)page.Length}";
        }
        return null;
    }
}
