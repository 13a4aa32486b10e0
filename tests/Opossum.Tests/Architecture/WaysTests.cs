using System.Reflection;
using System.Text.RegularExpressions;

namespace Opossum.Tests.Architecture;

/// <summary>docs/architecture.md and the pages in docs/ways name files, types and methods that exist; the latter count them.</summary>
public sealed partial class WaysTests
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    public static TheoryData<string> Ways =>
        [.. Directory.GetFiles(Path.Combine(SourceTree.Root, "docs", "ways"), "*.md").Select(static file => Path.GetFileName(file))];

    [Theory]
    [MemberData(nameof(Ways))]
    public void Each_method_that_a_way_names_exists_in_its_file(string way)
    {
        var gone = StepsOf(way).Where(static step => !Exists(step)).Select(static step => $"{step.Class}.{step.Method} ({step.File})");

        Assert.Equal("", string.Join('\n', gone));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void A_way_counts_its_steps_files_and_changes_of_room(string way)
    {
        var steps = StepsOf(way);
        var rooms = steps.Select(static step => Path.GetDirectoryName(step.File)).ToList();
        var files = steps.Select(static step => step.File).Distinct().Count();
        var changes = rooms.Zip(rooms.Skip(1)).Count(static pair => pair.First != pair.Second);

        Assert.Equal(Enumerable.Range(1, steps.Count), steps.Select(static step => step.Number));
        Assert.EndsWith($"\n{steps.Count} steps in {files} files; {changes} changes of room.", TextOf(way).TrimEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public void Each_file_type_and_member_that_the_architecture_names_exists()
    {
        var text = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "architecture.md"));
        var known = SourceTree.CSharpFiles.SelectMany(static file => file.Split(Path.DirectorySeparatorChar, '.'))
            .Concat(typeof(IEventStore).Assembly.GetTypes().SelectMany(static type => type.GetMembers(All)).Select(static member => member.Name))
            .Concat([nameof(TimeProvider), nameof(SynchronizationContext), "ILoggerFactory"])
            .ToHashSet(StringComparer.Ordinal);

        var gone = Name().Matches(text).Select(static match => match.Groups["name"].Value).Where(name => !known.Contains(name));

        Assert.Equal("", string.Join('\n', gone.Distinct()));
    }

    private static List<WayStep> StepsOf(string way) =>
        [.. Line().Matches(TextOf(way)).Select(static match => new WayStep(int.Parse(match.Groups["number"].ValueSpan), match.Groups["class"].Value,
            match.Groups["method"].Value, match.Groups["file"].Value))];

    // A public type is in the namespace Opossum, whatever its folder.
    private static bool Exists(WayStep step)
    {
        var folder = Path.GetDirectoryName(step.File)!.Replace(Path.DirectorySeparatorChar, '.');
        var library = typeof(IEventStore).Assembly;
        var name = $"Opossum.{(folder.Length > 0 ? folder + "." : "")}{step.Class}";
        var type = library.GetType(name) ?? library.GetType($"{name}`1") ?? library.GetType($"Opossum.{step.Class}");
        return type is not null && Has(type, step.Method) && Path.GetFileNameWithoutExtension(step.File) == step.Class
            && File.Exists(Path.Combine(SourceTree.Library, step.File));
    }

    private static bool Has(Type type, string method) =>
        type.GetMember(method, All).Length > 0 || type.GetNestedTypes(All).Any(nested => Has(nested, method));

    private static string TextOf(string way) => File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "ways", way)).ReplaceLineEndings("\n");

    [GeneratedRegex(@"^(?<number>\d+)\. `(?<class>\w+)\.(?<method>\w+)` \((?<file>[\w/]+\.cs)\) – \S.*$", RegexOptions.Multiline)]
    private static partial Regex Line();

    // The last part of a path or of a qualified name.
    [GeneratedRegex(@"`(?:[\w.]+/)*(?:\w+\.)*?(?<name>[A-Z]\w*)(?:\.cs)?`")]
    private static partial Regex Name();

    private sealed record WayStep(int Number, string Class, string Method, string File);
}
