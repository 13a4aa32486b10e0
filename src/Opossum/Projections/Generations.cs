using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>The generations in a projection's folder, with what they are.</summary>
internal static class Generations
{
    private const int TriesMax = 100;

    private static readonly TimeSpan pause = TimeSpan.FromMilliseconds(1);

    public static List<Generation> List(IFileSystem fileSystem, ProjectionLayout layout)
    {
        var found = new List<Generation>();
        if (fileSystem.GetKind(layout.Root) != EntryKind.Folder)
            return found;
        foreach (var name in fileSystem.List(layout.Root))
        {
            if (Generation.Parse(layout.Root, name) is { } generation)
                found.Add(generation);
        }
        return found;
    }

    /// <summary>Looks at the generations that are live or being built, at a moment at which none of them was moved.</summary>
    public static T Look<T>(IFileSystem fileSystem, ProjectionLayout layout, Func<List<Generation>, T> look)
    {
        for (var tries = 1; ; tries++)
        {
            var found = List(fileSystem, layout).FindAll(static each => each.Kind != GenerationKind.Old);
            try
            {
                var seen = look(found);
                if (tries == TriesMax || List(fileSystem, layout).FindAll(static each => each.Kind != GenerationKind.Old).ToHashSet().SetEquals(found))
                    return seen;
            }
            catch (FileSystemException e) when (e.Error == FileError.NotFound && tries < TriesMax)
            {
                fileSystem.Pause(pause);
            }
        }
    }

    /// <summary>The generation that counts of those that are live; null when there is none.</summary>
    public static Generation? Newest(IEnumerable<Generation> generations, GenerationKind kind) =>
        generations.Where(each => each.Kind == kind).MaxBy(static each => each.Number);
}
