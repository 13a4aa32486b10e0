using System.Reflection;
using System.Text.RegularExpressions;
using Opossum.Tests.Architecture;

namespace Opossum.DocTests;

/// <summary>What README.md and the documents show is code of this project, which compiles and runs; and their links lead somewhere.</summary>
[Collection(nameof(TemporaryFolder))]
public sealed partial class DocumentTests
{
    public static TheoryData<string> Documents => [.. Repository.Documents.Select(Repository.NameOf), "src/Opossum.Testing/README.md"];

    [Theory]
    [MemberData(nameof(Documents))]
    public void Each_block_of_code_is_compiled_code_of_this_project(string document)
    {
        var sources = Repository.Snippets.Select(file => Bare(File.ReadAllLines(file))).ToArray();

        var strange = CodeBlocks(document).Where(block => !sources.Any(source => source.Contains(Bare(block), StringComparison.Ordinal)));

        Assert.Equal("", string.Join("\n---\n", strange.Select(block => string.Join('\n', block))));
    }

    [Theory]
    [InlineData("docs/first-hour.md", "web")]
    [InlineData("src/Opossum/README.md", "console")]
    public void What_dotnet_new_makes_is_what_the_document_shows(string document, string template)
    {
        var program = Bare(File.ReadAllLines(PathOf($"src/Opossum.Templates/content/{template}/Program.cs")));
        var blocks = CodeBlocks(document).ToList();

        Assert.NotEmpty(blocks);
        Assert.All(blocks, block => Assert.Contains(Bare(block), program, StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Documents))]
    public void Each_link_leads_to_a_file_and_a_heading(string document)
    {
        var dead = Link().Matches(WithoutCode(File.ReadAllText(PathOf(document)))).Select(match => match.Groups["target"].Value).Where(target => !IsThere(document, target));

        Assert.Equal("", string.Join('\n', dead));
    }

    [Fact]
    public void Each_document_is_on_a_shelf_and_each_decision_is_in_the_table()
    {
        var lists = new[] { "docs/", "docs/analyzers/", "docs/decisions/" }.Select(folder => (Folder: folder, Text: File.ReadAllText(PathOf($"{folder}README.md")))).ToList();

        var missing = Repository.Documents.Select(Repository.NameOf).Where(name => name.StartsWith("docs/", StringComparison.Ordinal)
            && name != "docs/README.md" && !lists.Exists(list => list.Text.Contains($"({Path.GetRelativePath(list.Folder, name)})", StringComparison.Ordinal)));

        Assert.Equal("", string.Join('\n', missing));
    }

    [Fact]
    public void The_list_of_documents_for_language_models_is_whole_and_its_links_lead_somewhere()
    {
        const string list = "docs/llms.txt";
        var links = Link().Matches(File.ReadAllText(PathOf(list))).Select(match => match.Groups["target"].Value).ToList();

        var documents = Repository.Documents.Select(Repository.NameOf)
            .Where(name => name.StartsWith("docs/", StringComparison.Ordinal) && name.Count(each => each == '/') == 1)
            .Select(name => name["docs/".Length..]);
        Assert.Equal("", string.Join('\n', documents.Except(links)));
        Assert.Equal("", string.Join('\n', links.Where(target => !IsThere(list, target))));
    }

    [Theory]
    [MemberData(nameof(Documents))]
    public void Each_class_of_tests_that_is_named_exists(string document)
    {
        var gone = TestClass().Matches(File.ReadAllText(PathOf(document))).Select(match => match.Groups["class"].Value)
            .Where(name => !Array.Exists(Repository.TestFiles, file => file.EndsWith($"/{name}.cs", StringComparison.Ordinal)));

        Assert.Equal("", string.Join('\n', gone));
    }

    // Where a package is read, the repository is not there.
    [Fact]
    public void Links_and_pictures_of_the_packages_readmes_work_outside_the_repository()
    {
        var relative =
            from readme in Directory.GetFiles(Path.Combine(Repository.Root, "src"), "README.md", SearchOption.AllDirectories)
            from Match match in Link().Matches(WithoutCode(File.ReadAllText(readme)))
            let target = match.Groups["target"].Value
            where !target.StartsWith("https://", StringComparison.Ordinal)
            select $"{Repository.NameOf(readme)}: {target}";

        Assert.Equal("", string.Join('\n', relative));
    }

    // This project sees internal members; a reader's code does not.
    [Fact]
    public void The_documents_code_uses_public_members_only()
    {
        var here = typeof(DocumentTests);
        var hidden =
            from type in here.Assembly.GetTypes()
            where type.Namespace == here.Namespace && type.DeclaringType is null
            from member in CompiledCode.References(type)
            where member.Module != here.Module && member.Module.Name.StartsWith("Opossum", StringComparison.Ordinal) && IsHidden(member)
            select $"{type.Name}: {member.DeclaringType?.Name}.{member.Name}";

        Assert.Equal("", string.Join('\n', hidden));
    }

    private static bool IsHidden(MemberInfo member) => member switch
    {
        Type type => !type.IsVisible,
        MethodBase method => !method.IsPublic && !method.IsFamily,
        FieldInfo field => !field.IsPublic,
        _ => false,
    };

    private static List<string[]> CodeBlocks(string document)
    {
        var blocks = new List<string[]>();
        List<string>? block = null;
        foreach (var line in File.ReadAllLines(PathOf(document)))
        {
            if (block is null)
            {
                block = line.Trim() == "```csharp" ? [] : null;
            }
            else if (line.Trim() == "```")
            {
                blocks.Add([.. block]);
                block = null;
            }
            else
            {
                block.Add(line);
            }
        }
        Assert.Null(block);
        return blocks;
    }

    // Usings stand at the top of a file, so they do not count; nor do indentation and empty lines.
    private static string Bare(string[] lines) =>
        string.Concat(lines.Select(line => line.Trim()).Where(line => line.Length > 0 && !Using().IsMatch(line)).Select(line => line + "\n"));

    private static bool IsThere(string document, string target)
    {
        if (Uri.TryCreate(target, UriKind.Absolute, out var address))
            return address.Scheme == Uri.UriSchemeHttps;
        var parts = target.Split('#');
        var path = parts[0].Length == 0 ? PathOf(document) : Path.Combine(Path.GetDirectoryName(PathOf(document))!, parts[0]);
        if (parts.Length == 1)
            return File.Exists(path) || Directory.Exists(path);
        return File.Exists(path) && Heading().Matches(File.ReadAllText(path)).Any(match => Anchor(match.Groups["text"].Value) == parts[1]);
    }

    // As GitHub makes them: lower case, blanks become hyphens, other signs go.
    private static string Anchor(string heading) =>
        string.Concat(heading.Trim().ToLowerInvariant().Where(each => char.IsLetterOrDigit(each) || each is ' ' or '-' or '_')).Replace(' ', '-');

    private static string WithoutCode(string text) => Code().Replace(text, "");

    private static string PathOf(string document) => Path.Combine(Repository.Root, document);

    [GeneratedRegex(@"\[[^\]]*\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^#+ (?<text>.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"^```.*?^```|`[^`\n]*`", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Code();

    [GeneratedRegex(@"`(?<class>[A-Za-z/]+Tests)`")]
    private static partial Regex TestClass();

    [GeneratedRegex(@"^using [\w.]+;$")]
    private static partial Regex Using();
}
