using Opossum.FileSystem;

namespace Opossum.Projections;

/// <summary>The generations in a projection's folder, with what they are.</summary>
internal static class Generations
{
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

    /// <summary>The generation that counts of those that are live; null when there is none.</summary>
    public static Generation? Newest(IEnumerable<Generation> generations, GenerationKind kind) =>
        generations.Where(each => each.Kind == kind).MaxBy(static each => each.Number);
}
