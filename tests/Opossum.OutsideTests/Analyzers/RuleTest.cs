using System.Collections.Immutable;
using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace Opossum.AnalyzerTests;

/// <summary>
/// What the rules find in a program: the marked places, such as <c>{|OPSM0001:store.AppendAsync(e)|}</c>, and no others. The program has the
/// assemblies of these tests, so nothing is downloaded.
/// </summary>
internal static partial class RuleTest
{
    private const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.IO;
        using System.Linq;
        using System.Threading.Tasks;
        using Opossum;

        """;

    public static IReadOnlyList<MetadataReference> References { get; } = [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
        .Split(Path.PathSeparator).Where(IsReferenced).Select(static file => MetadataReference.CreateFromFile(file))];

    /// <summary>Checks what a rule finds.</summary>
    public static async Task FindsAsync<TAnalyzer>(string source, OutputKind kind = OutputKind.DynamicallyLinkedLibrary)
        where TAnalyzer : DiagnosticAnalyzer, new()
    {
        using var workspace = new AdhocWorkspace();
        var document = Document(workspace, source, kind);

        Assert.Equal(source, Marked(await FindAsync<TAnalyzer>(document), Plain(source)));
    }

    /// <summary>Checks what a rule finds, and what its fix makes of it.</summary>
    public static async Task MendsAsync<TAnalyzer, TFix>(string source, string mended, OutputKind kind = OutputKind.DynamicallyLinkedLibrary)
        where TAnalyzer : DiagnosticAnalyzer, new()
        where TFix : CodeFixProvider, new()
    {
        using var workspace = new AdhocWorkspace();
        var document = Document(workspace, source, kind);
        var operations = await Assert.Single(await FindFixesAsync<TAnalyzer, TFix>(document, source)).GetOperationsAsync(default);
        var changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution.GetDocument(document.Id)!;
        var text = (await changed.GetTextAsync()).ToString();

        Assert.Equal(mended, text[Usings.Length..]);
        Assert.Empty(await FindAsync<TAnalyzer>(changed));
    }

    /// <summary>Checks what a rule finds, and that its fix does not offer to mend it.</summary>
    public static async Task LeavesAsync<TAnalyzer, TFix>(string source, string otherFile = "")
        where TAnalyzer : DiagnosticAnalyzer, new()
        where TFix : CodeFixProvider, new()
    {
        using var workspace = new AdhocWorkspace();

        var document = Document(workspace, source, OutputKind.DynamicallyLinkedLibrary);
        var withOther = document.Project.AddDocument("Other.cs", SourceText.From(Usings + otherFile, Encoding.UTF8)).Project;

        Assert.Empty(await FindFixesAsync<TAnalyzer, TFix>(withOther.GetDocument(document.Id)!, source));
    }

    /// <summary>The diagnostics of analyzers in a program without errors.</summary>
    public static async Task<ImmutableArray<Diagnostic>> FindAsync(Compilation program, params ImmutableArray<DiagnosticAnalyzer> analyzers)
    {
        Assert.Empty(program.GetDiagnostics().Where(static each => each.Severity == DiagnosticSeverity.Error));
        var found = await program.WithAnalyzers(analyzers).GetAnalyzerDiagnosticsAsync();
        return [.. found.OrderBy(static each => each.Location.SourceSpan.Start)];
    }

    private static async Task<List<CodeAction>> FindFixesAsync<TAnalyzer, TFix>(Document document, string source)
        where TAnalyzer : DiagnosticAnalyzer, new()
        where TFix : CodeFixProvider, new()
    {
        var found = await FindAsync<TAnalyzer>(document);
        Assert.Equal(source, Marked(found, Plain(source)));
        var actions = new List<CodeAction>();
        await new TFix().RegisterCodeFixesAsync(new CodeFixContext(document, Assert.Single(found), (action, _) => actions.Add(action), default));
        return actions;
    }

    private static async Task<ImmutableArray<Diagnostic>> FindAsync<TAnalyzer>(Document document)
        where TAnalyzer : DiagnosticAnalyzer, new() => await FindAsync((await document.Project.GetCompilationAsync())!, new TAnalyzer());

    private static Document Document(AdhocWorkspace workspace, string source, OutputKind kind) => workspace.CurrentSolution
        .AddProject("Program", "Program", LanguageNames.CSharp)
        .WithCompilationOptions(new CSharpCompilationOptions(kind, nullableContextOptions: NullableContextOptions.Enable))
        .WithMetadataReferences(References)
        .AddDocument("Program.cs", SourceText.From(Usings + Plain(source), Encoding.UTF8));

    private static string Plain(string source) => Mark().Replace(source, "");

    private static string Marked(ImmutableArray<Diagnostic> found, string plain)
    {
        var text = new StringBuilder(Usings + plain);
        foreach (var each in found.Reverse())
            text.Insert(each.Location.SourceSpan.End, "|}").Insert(each.Location.SourceSpan.Start, $"{{|{each.Id}:");
        return text.ToString(Usings.Length, text.Length - Usings.Length);
    }

    private static bool IsReferenced(string file) => Path.GetDirectoryName(file) == Path.GetDirectoryName(typeof(object).Assembly.Location)
        || Path.GetFileNameWithoutExtension(file) is "Opossum" or "Opossum.Testing";

    [GeneratedRegex(@"\{\|OPSM\d{4}:|\|\}")]
    private static partial Regex Mark();
}
