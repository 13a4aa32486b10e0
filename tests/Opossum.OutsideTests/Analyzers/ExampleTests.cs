using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Opossum.DocTests;

namespace Opossum.AnalyzerTests;

/// <summary>The rules find nothing in the examples of dcb.events; builds of the samples and of the documents' code check those.</summary>
public sealed class ExampleTests
{
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Xunit;
        """;

    [Fact]
    public async Task The_rules_find_nothing_in_the_examples_of_dcb_events()
    {
        var trees = ((string[])["Shared", "Opossum.Tests/Decisions", "Opossum.Tests/Testing/Examples"])
            .SelectMany(static folder => Directory.GetFiles(Path.Combine(Repository.Root, "tests", folder), "*.cs", SearchOption.AllDirectories))
            // What a generator would have to complete.
            .Where(static file => Path.GetFileName(file) != "Customers.cs")
            .Select(static file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), path: file))
            .Append(CSharpSyntaxTree.ParseText(Usings));
        var program = CSharpCompilation.Create("Opossum.Tests", trees, RuleTest.AllReferences,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable));
        var found = await RuleTest.FindAsync(program, [.. PageTests.Analyzers]);

        // What the other tests get wrong on purpose shows that the rules ran.
        Assert.NotEmpty(found);
        Assert.Empty(found.Where(static each => each.Location.SourceTree!.ToString().Contains("https://dcb.events/examples/", StringComparison.Ordinal)));
    }
}
