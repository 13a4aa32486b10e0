using Opossum.FileSystem;
using Opossum.Following;

namespace Opossum.Projections.States;

/// <summary>The generations in a projection's folder.</summary>
internal static class Generations
{
    public static List<Generation> List(IFileSystem fileSystem, ProjectionLayout layout) =>
        [.. fileSystem.ListIfThere(layout.Root).Select(name => Generation.Parse(layout.Root, name)).OfType<Generation>()];

    /// <summary>Reads the generations that are live or being built, at a moment when none of them was being moved.</summary>
    public static T Look<T>(IFileSystem fileSystem, ProjectionLayout layout, Func<List<Generation>, T> look) =>
        PatientLook.Look(fileSystem, () => LookOnce(fileSystem, layout, look));

    /// <summary>The same, within a <see cref="PatientLook"/>.</summary>
    /// <exception cref="FileSystemException">A generation was moved meanwhile, or a file cannot be read.</exception>
    public static T LookOnce<T>(IFileSystem fileSystem, ProjectionLayout layout, Func<List<Generation>, T> look)
    {
        var found = ListInUse(fileSystem, layout);
        var seen = look(found);
        return ListInUse(fileSystem, layout).ToHashSet().SetEquals(found) ? seen : throw PatientLook.Gone(layout.Root);
    }

    /// <summary>The newest generation of a kind; null when there is none.</summary>
    public static Generation? Newest(IEnumerable<Generation> generations, GenerationKind kind) =>
        generations.Where(each => each.Kind == kind).MaxBy(static each => each.Number);

    /// <summary>Refuses a link on the way to the states of a generation.</summary>
    public static void ThrowIfLink(IFileSystem fileSystem, string projectionsFolder, ProjectionLayout layout, Generation generation)
    {
        fileSystem.ThrowIfLink(projectionsFolder);
        fileSystem.ThrowIfLink(layout.Root);
        fileSystem.ThrowIfLink(generation.Folder);
        fileSystem.ThrowIfLink(generation.States);
    }

    private static List<Generation> ListInUse(IFileSystem fileSystem, ProjectionLayout layout) =>
        List(fileSystem, layout).FindAll(static each => each.Kind != GenerationKind.Old);
}
