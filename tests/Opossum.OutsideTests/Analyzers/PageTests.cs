using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Opossum.Analyzers;
using Opossum.DocTests;

namespace Opossum.AnalyzerTests;

/// <summary>Each rule has a page whose first code it finds something in, and whose second code it does not.</summary>
public sealed class PageTests
{
    private const string Around = """
        using System;
        using System.Collections.Generic;
        using System.Threading.Tasks;
        using Opossum;

        class Page(IEventStore store)
        {
            static DecisionProjection<int> FreeSeats(string course) => DecisionProjection.Create(0, new Tag("course", course))
                .On<CourseDefined>((_, defined) => defined.Seats).On<StudentSubscribed>((free, _) => free - 1);
        """;

    private const string Events = """
        }

        [EventType("course-defined")]
        public record CourseDefined([property: Tag("course")] string CourseId, int Seats);

        [EventType("course-closed")]
        public record CourseClosed([property: Tag("course")] string CourseId);

        [EventType("student-subscribed")]
        public record StudentSubscribed([property: Tag("course")] string CourseId, [property: Tag("student")] string StudentId);

        static class Start
        {
            static void Main()
            {
            }
        }
        """;

    internal static readonly DiagnosticAnalyzer[] Analyzers = [.. typeof(Rules).Assembly.GetTypes()
        .Where(static type => !type.IsAbstract && type.IsSubclassOf(typeof(DiagnosticAnalyzer)))
        .Select(static type => (DiagnosticAnalyzer)Activator.CreateInstance(type)!)];

    public static TheoryData<string> Ids => [.. Analyzers.SelectMany(static each => each.SupportedDiagnostics)
        .Select(static each => each.Id).Distinct().Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task A_page_shows_what_its_rule_finds_and_how_it_is_mended(string id)
    {
        var blocks = BlocksOf($"docs/analyzers/{id}.md");

        Assert.Equal(2, blocks.Count);
        Assert.Contains(id, await FindAsync(blocks[0]));
        Assert.Empty(await FindAsync(blocks[1]));
    }

    [Fact]
    public void The_list_of_the_rules_is_whole_and_each_rule_leads_to_its_page()
    {
        var list = File.ReadAllText(Path.Combine(Repository.Root, "docs", "analyzers", "README.md"));

        foreach (var rule in Analyzers.SelectMany(static each => each.SupportedDiagnostics))
        {
            Assert.Contains($"| [{rule.Id}]({rule.Id}.md) |", list, StringComparison.Ordinal);
            Assert.EndsWith($"docs/analyzers/{rule.Id}.md", rule.HelpLinkUri, StringComparison.Ordinal);
        }
    }

    private static List<string> BlocksOf(string page) =>
        [.. File.ReadAllText(Path.Combine(Repository.Root, page)).Split("```cs\n").Skip(1)
            .Select(static each => each[..each.IndexOf("```\n", StringComparison.Ordinal)])];

    // Statements are those of a method; what begins with a type or an attribute stands for itself.
    private static async Task<IEnumerable<string>> FindAsync(string block)
    {
        var isType = block.StartsWith("public", StringComparison.Ordinal) || block.StartsWith('[');
        var text = isType ? $"{Around}{Events}{block}" : $"{Around} async Task RunAsync() {{ {block} }} {Events}";
        var program = CSharpCompilation.Create("Page", [CSharpSyntaxTree.ParseText(text)], RuleTest.References,
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));
        return (await RuleTest.FindAsync(program, [.. Analyzers])).Select(static each => each.Id);
    }
}
