using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Opossum.Analyzers;

/// <summary>Checks some rules in compilations that use the library, and not in generated code.</summary>
public abstract class LibraryAnalyzer : DiagnosticAnalyzer
{
    private protected LibraryAnalyzer(params DiagnosticDescriptor[] rules) => SupportedDiagnostics = [.. rules];

    public sealed override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; }

    public sealed override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(start =>
        {
            if (Library.Of(start.Compilation) is { } library)
                Register(start, library);
        });
    }

    private protected abstract void Register(CompilationStartAnalysisContext start, Library library);
}
