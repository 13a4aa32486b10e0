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

    public static IReadOnlyList<PortableExecutableReference> AllReferences { get; } =
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(static file => MetadataReference.CreateFromFile(file))];

    public static IReadOnlyList<MetadataReference> References { get; } = [.. AllReferences.Where(static each => IsReferenced(each.FilePath!))];

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

        await AssertMendsAsync<TAnalyzer>(Assert.Single(await FindFixesAsync<TAnalyzer, TFix>(document, source)), document, mended);
    }

    /// <summary>Checks what a rule finds, and what its fix makes of all of it at once.</summary>
    public static async Task MendsAllAsync<TAnalyzer, TFix>(string source, string mended)
        where TAnalyzer : DiagnosticAnalyzer, new()
        where TFix : CodeFixProvider, new()
    {
        using var workspace = new AdhocWorkspace();
        var document = Document(workspace, source, OutputKind.DynamicallyLinkedLibrary);
        var found = await FindAsync<TAnalyzer>(document);
        Assert.Equal(source, Marked(found, Plain(source)));
        var fix = new TFix();
        var key = "";
        await fix.RegisterCodeFixesAsync(new CodeFixContext(document, found[0], (action, _) => key = action.EquivalenceKey, default));
        var all = await fix.GetFixAllProvider()!.GetFixAsync(
            new FixAllContext(document, fix, FixAllScope.Document, key, fix.FixableDiagnosticIds, new Found(found), default));

        await AssertMendsAsync<TAnalyzer>(all!, document, mended);
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

    private static async Task AssertMendsAsync<TAnalyzer>(CodeAction action, Document document, string mended)
        where TAnalyzer : DiagnosticAnalyzer, new()
    {
        var operations = await action.GetOperationsAsync(default);
        var changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution.GetDocument(document.Id)!;

        Assert.Equal(mended, (await changed.GetTextAsync()).ToString()[Usings.Length..]);
        Assert.Empty(await FindAsync<TAnalyzer>(changed));
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

    private sealed class Found(IEnumerable<Diagnostic> all) : FixAllContext.DiagnosticProvider
    {
        public override Task<IEnumerable<Diagnostic>> GetAllDiagnosticsAsync(Project project, CancellationToken token) => Task.FromResult(all);

        public override Task<IEnumerable<Diagnostic>> GetDocumentDiagnosticsAsync(Document document, CancellationToken token) => Task.FromResult(all);

        public override Task<IEnumerable<Diagnostic>> GetProjectDiagnosticsAsync(Project project, CancellationToken token) => Task.FromResult(all);
    }

    [GeneratedRegex(@"\{\|OPSM\d{4}:|\|\}")]
    private static partial Regex Mark();
}
