using Microsoft.CodeAnalysis;

namespace Opossum.Analyzers.Generation;

/// <summary>Finds the JSON metadata of a class and of all types in it, as the library's reflection does; or why it cannot be generated.</summary>
internal sealed class JsonShapes
{
    private readonly Compilation compilation;
    private readonly HashSet<ITypeSymbol> seen = new(SymbolEqualityComparer.Default);
    private readonly List<JsonShape> shapes = [];
    private string? problem;

    private JsonShapes(Compilation compilation) => this.compilation = compilation;

    public static EventClass Of(INamedTypeSymbol type, Compilation compilation)
    {
        var found = new JsonShapes(compilation);
        found.Add(type, type.Name);
        return new EventClass(Code.NameOf(type), found.problem, new EquatableArray<JsonShape>(found.problem is null ? [.. found.shapes] : []));
    }

    private void Add(ITypeSymbol type, string path)
    {
        if (problem is not null || !seen.Add(type))
            return;
        if (!Code.IsAccessible(type, compilation))
        {
            problem = $"{path} is of a type that is private";
        }
        else if (JsonValues.Find(type) is var (expression, inner))
        {
            shapes.Add(new JsonShape(Code.NameOf(type), expression, ""));
            foreach (var each in inner)
                Add(each, path);
        }
        else if (type is INamedTypeSymbol named && JsonForm.FindProblem(named) is { } reason)
        {
            problem = $"{path} is of type {named.ToDisplayString(Code.Plain)}, which {reason}";
        }
        else if (type is INamedTypeSymbol whole)
        {
            AddObject(new JsonObject(whole), path);
        }
        else
        {
            problem = $"{path} is of type {type.ToDisplayString(Code.Plain)}";
        }
    }

    private void AddObject(JsonObject type, string path)
    {
        shapes.Add(type.Shape);
        foreach (var property in type.Stored)
            Add(property.Type, $"{path}.{property.Name}");
    }
}
