using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Opossum.Analyzers.Generation;
using Opossum.DocTests;
using Opossum.Serialization;
using Opossum.Testing;

namespace Opossum.AnalyzerTests;

/// <summary>What <c>AddGenerated()</c> registers is written and read as what <c>AddAssembly</c> registers.</summary>
public sealed class GeneratorTests
{
    private static readonly Lazy<Assembly> events = new(() => Compiled(File.ReadAllText(
        Path.Combine(Repository.Root, "tests", "Opossum.OutsideTests", "Analyzers", "GeneratedEvents.cs"))));

    private static readonly Lazy<EventTypeRegistry> generated = new(() => Registered(events.Value));
    private static readonly Lazy<EventTypeRegistry> reflected = new(() => new EventTypeRegistry().AddAssembly(events.Value));

    public static TheoryData<string, string> Cases => new()
    {
        { "gen-plain", """{ "courseId": "c1", "seats": 2, "price": 12.50, "id": "01a1fe27-d335-79b1-9dff-bdbba9526ebd", "when": "2026-11-27T10:00:00+01:00", "isOpen": true, "bytes": "AQI=" }""" },
        { "gen-plain", """{ "courseId": "c1", "seats": 2, "price": 12.50, "id": "01a1fe27-d335-79b1-9dff-bdbba9526ebd", "when": "2026-11-27T10:00:00+01:00", "isOpen": true }""" },
        { "gen-plain", """{ "courseId": "c1", "seats": "two", "price": 12.50, "id": "01a1fe27-d335-79b1-9dff-bdbba9526ebd", "when": "2026-11-27T10:00:00Z", "isOpen": true, "bytes": "" }""" },
        { "gen-optional", """{ }""" },
        { "gen-optional", """{ "title": null, "seats": null, "level": "low", "text": "", "share": 1e3, "left": null }""" },
        { "gen-optional", """{ "Title": "Cooking", "LEVEL": "High" }""" },
        { "gen-optional", """{ "title": "Cooking", "renamed": 1 }""" },
        { "gen-optional", """{ "level": "Unknown" }""" },
        { "gen-lists", """{ "names": ["a"], "numbers": [1, 2], "parts": [{ "name": "p", "size": { "width": 1, "height": 2 }, "inner": { "name": "q", "size": { "width": 3, "height": 4 } } }], "levels": ["Low"], "words": ["w"], "byName": { "Ab": { "name": "p", "size": { "width": 1, "height": 2 } } }, "byLevel": { "High": 3 } }""" },
        { "gen-lists", """{ "names": [], "numbers": [], "parts": [{ "name": "p", "size": { "width": 1 } }], "levels": [], "words": [], "byName": {}, "byLevel": {} }""" },
        { "gen-properties", """{ "level": "Low" }""" },
        { "gen-properties", """{ "name": "n", "count": 2, "the-note": "x", "level": "High", "class": 3 }""" },
        { "gen-properties", """{ "name": "n", "count": 2, "note": "x", "level": "High" }""" },
        { "gen-properties", """{ "name": "n" }""" },
        { "gen-properties", """{ "level": "Low", "shown": "n: 2" }""" },
        { "gen-struct", """{ "axis": "x", "x": 4, "source": "https://example.org/" }""" },
        { "gen-struct", """{ "axis": "x", "source": null }""" },
        { "gen-struct", """{ "axis": "x", "x": 4 }""" },
        { "gen-plain", """{ "courseId": "c1", "seats": "2", "price": "12.50", "id": "01a1fe27-d335-79b1-9dff-bdbba9526ebd", "when": "2026-11-27T10:00:00Z", "isOpen": true, "bytes": "" }""" },
        { "gen-optional", """{ "seats": "2", "share": "0.25", "left": "1" }""" },
        { "gen-lists", """{ "names": [], "numbers": ["1"], "parts": [{ "name": "p", "size": { "width": "1", "height": 2 } }], "levels": [], "words": [], "byName": {}, "byLevel": { "Low": "3" } }""" },
        { "gen-seating", """{ "courseId": "c1" }""" },
        { "gen-seating", """{ "courseId": "c1", "seats": 3, "level": "Low", "least": null, "room": "B2" }""" },
        { "gen-seating", """{ "seats": 3 }""" },
        { "gen-initial", """{ "name": "n" }""" },
        { "gen-empty", """{ }""" },
        { "gen-empty", """{ "more": 1 }""" },
        { "gen-base", """{ "name": "n", "age": 2 }""" },
        { "gen-converter", """{ "level": "Low" }""" },
        { "gen-derived", """{ "level": 1 }""" },
        { "gen-object", """{ "name": "n", "count": 2 }""" },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Json_is_read_and_written_as_by_reflection(string type, string json) =>
        Assert.Equal(await OutcomeAsync(reflected.Value, type, json), await OutcomeAsync(generated.Value, type, json));

    [Fact]
    public void Every_event_type_is_registered_with_its_tags_and_its_personal_members()
    {
        foreach (var types in new[] { generated.Value, reflected.Value })
            types.Freeze();

        Assert.Equal(Described(reflected.Value), Described(generated.Value));
        foreach (var type in reflected.Value.All)
            Assert.Equal(SchemaOf(type), SchemaOf(generated.Value.Find(type.Name)!));
        Assert.Equal(reflected.Value.PersonalTypes.Order(), generated.Value.PersonalTypes.Order());
    }

    [Fact]
    public void What_is_left_to_reflection_is_named_where_an_app_is_trimmed()
    {
        var warning = AddGenerated(events.Value).GetCustomAttribute<RequiresUnreferencedCodeAttribute>()!.Message;

        Assert.Equal(["gen-base", "gen-converter", "gen-derived", "gen-initial", "gen-object"],
            generated.Value.All.Where(static each => each.GivenJson is null).Select(static each => each.Name).Order());
        Assert.Contains("GeneratedEvents.WithBase, which has a base class", warning, StringComparison.Ordinal);
        Assert.Contains("the attribute JsonConverter on Level", warning, StringComparison.Ordinal);
        Assert.Contains("the public field Count", warning, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_class_of_another_form_there_is_no_warning()
    {
        var assembly = Compiled("""[Opossum.EventType("a")] public record A(string Name); [Opossum.EventType("b")] internal record B;""");

        Assert.Null(AddGenerated(assembly).GetCustomAttribute<RequiresUnreferencedCodeAttribute>());
        Assert.Equal(["a", "b"], Registered(assembly).All.Select(static each => each.Name).Order());
    }

    [Theory]
    [InlineData("""[EventType("a")] public record A([property: Tag("person")] string Id, [property: Personal("person")] string Name);""")]
    [InlineData("""[EventType("a")] public sealed record A(in Guid Id);""")]
    [InlineData("""
        [EventType("a")] public sealed record A
        {
            [System.Text.Json.Serialization.JsonIgnore] public required string Id { get; init; }
        }
        """)]
    public void What_is_refused_when_a_store_opens_is_refused_in_the_same_words(string source)
    {
        var assembly = Compiled(source);

        var expected = Assert.Throws<InvalidOperationException>(new EventTypeRegistry().AddAssembly(assembly).Freeze).Message;
        Assert.Equal(expected, Assert.Throws<InvalidOperationException>(Registered(assembly).Freeze).Message);
    }

    [Fact]
    public void It_may_be_called_twice_and_beside_AddAssembly()
    {
        var types = new EventTypeRegistry();

        AddGenerated(events.Value).Invoke(null, [types.AddAssembly(events.Value)]);
        AddGenerated(events.Value).Invoke(null, [types]);

        Assert.Equal(reflected.Value.All.Count(), types.All.Count());
    }

    [Fact]
    public void What_code_cannot_name_is_left_out()
    {
        var assembly = Compiled("""
            public class Desk { [Opossum.EventType("hidden")] private record Hidden; [Opossum.EventType("seen")] internal record Seen; }
            file class Inside { [Opossum.EventType("inside")] internal record Hidden; }
            [Obsolete("Use Seen.", error: true)] public class Old { [Opossum.EventType("old")] public record Gone; }
            [Opossum.EventType("abstract")] public abstract record Base;
            [Opossum.EventType("open")] public record Open<T>(T Value);
            [Opossum.EventType("static")] public static class Names;
            [Opossum.EventType("ref")] public ref struct Span;
            """);

        Assert.Equal(["seen"], Registered(assembly).All.Select(static each => each.Name));
    }

    [Theory]
    [InlineData("""
        [EventType("a")] public record A(double Most = double.PositiveInfinity, double? Least = double.NegativeInfinity,
            double Mean = double.NaN, float Share = float.NaN, float Top = float.PositiveInfinity, float Zero = -0f);
        """, """{ "most": 1, "least": 1, "mean": 1, "share": 1, "top": 1 }""")]
    [InlineData("""
        [EventType("a")] public record A(string Name)
        {
            [System.Text.Json.Serialization.JsonIgnore] public ReadOnlySpan<char> Shown => Name;
        }
        """, """{ "name": "n" }""")]
    [InlineData("""
        [EventType("a")] public record A(string Name)
        {
            [System.Text.Json.Serialization.JsonIgnore] public ReadOnlySpan<char> Shown => Name;
        }
        """, """{ "name": "n", "shown": "n" }""")]
    [InlineData("""
        namespace Shop
        {
            public static class Orders { [EventType("a")] public record Placed(string Name); }
            [EventType("b")] public record Orders_Placed(int Seats);
        }
        """, """{ "name": "n" }""")]
    [InlineData("""
        [EventType("a")] public record A(string Name)
        {
            [Obsolete("Use Name.", error: true)] public string? Title { get; init; }
        }
        """, """{ "name": "n", "title": "t" }""")]
    [InlineData("""
        [System.Diagnostics.CodeAnalysis.Experimental("SHOP1")]
        [EventType("a")] public record A(string Name)
        {
            [System.Diagnostics.CodeAnalysis.Experimental("SHOP2")] public string? Title { get; init; }
            [Obsolete("Use Name.", DiagnosticId = "SHOP3")] public string? Label { get; init; }
        }
        """, """{ "name": "n", "title": "t" }""")]
    [InlineData("""[EventType("a")] public record struct A(in int Seats);""", "{}")]
    [InlineData("""
        [EventType("a")] public class A(int seats)
        {
            public int Seats { [Obsolete("Use Places.", error: true)] get; } = seats;
        }
        """, """{ "seats": 1 }""")]
    [InlineData("""
        [EventType("a")] public class A
        {
            public int Seats { get; [Obsolete("Use Places.", error: true)] set; }
        }
        """, """{ "seats": 1 }""")]
    [InlineData("""
        [EventType("a")] public class A
        {
            [System.Diagnostics.CodeAnalysis.AllowNull] public string Name { get; set => field = value ?? ""; } = "";
        }
        """, """{ "name": null }""")]
    [InlineData("""
        [EventType("a")] public class A([System.Diagnostics.CodeAnalysis.AllowNull] string name)
        {
            public string Name { get; } = name ?? "";
        }
        """, """{ "name": null }""")]
    [InlineData("""
        [EventType("a")] public class A([System.Diagnostics.CodeAnalysis.AllowNull] string name)
        {
            public string Name { get; } = name ?? "";
        }
        """, "{}")]
    [InlineData("""
        [EventType("a")] public class A([System.Diagnostics.CodeAnalysis.DisallowNull] string? name)
        {
            public string? Name { get; } = name;
        }
        """, """{ "name": null }""")]
    [InlineData("""
        [EventType("a")] public class A(string? name)
        {
            public required string? Name { get; init; } = name;
        }
        """, "{}")]
    [InlineData("""
        [EventType("a")]
        [method: System.Diagnostics.CodeAnalysis.SetsRequiredMembers]
        public class A(string? name)
        {
            public required string? Name { get; init; } = name;
        }
        """, "{}")]
    [InlineData("""
        [EventType("a")]
        [method: System.Diagnostics.CodeAnalysis.SetsRequiredMembers]
        public class A(int seats = 3)
        {
            public required int Seats { get; init; } = seats;
        }
        """, "{}")]
    [InlineData("""
        [EventType("a")] public record struct A(string? Name, int Seats = 3)
        {
            public string? Name { get; set; } = Name ?? "unnamed";
        }
        """, "{}")]
    [InlineData("""
        [EventType("a")] public record struct A(string Name = " unnamed ")
        {
            public string Name { get; set; } = Name.Trim();
        }
        """, "{}")]
    public async Task A_form_that_is_rare_is_read_and_written_as_by_reflection(string source, string json)
    {
        var assembly = Compiled(source);

        Assert.Equal(await OutcomeAsync(new EventTypeRegistry().AddAssembly(assembly), "a", json),
            await OutcomeAsync(Registered(assembly), "a", json));
    }

    [Theory]
    [InlineData("public class Part { [JsonInclude] private int seats = 3; public override string ToString() => $\"{seats}\"; }", "Part.seats")]
    [InlineData("public class Part { [JsonInclude] internal int Seats { get; set; } }", "Part.Seats")]
    [InlineData("public class Part { [JsonInclude] private int Seats { get => n; set => n = value; } private int n; }", "Part.Seats")]
    [InlineData("public class Part { public Part() { } [JsonConstructor] private Part(int seats) { } public int Seats { get; set; } }",
        "JsonConstructor")]
    [InlineData("public struct Part { [JsonConstructor] private Part(int seats) { } public int Seats { get; set; } }", "JsonConstructor")]
    public void What_code_of_another_assembly_does_not_see_is_refused(string part, string member)
    {
        var assembly = Compiled("""[EventType("a")] public record A(Part Part);""", "using System.Text.Json.Serialization;" + part);

        var problem = Assert.Throws<InvalidOperationException>(Registered(assembly).Freeze).Message;
        Assert.Contains("\"a\", A, ", problem, StringComparison.Ordinal);
        Assert.Contains(member, problem, StringComparison.Ordinal);
        Assert.Contains("AddAssembly", problem, StringComparison.Ordinal);
        new EventTypeRegistry().AddAssembly(assembly).Freeze();
    }

    [Fact]
    public void A_change_elsewhere_generates_nothing_again()
    {
        var tree = CSharpSyntaxTree.ParseText("""[Opossum.EventType("a")] public record A(string Name);""");
        var program = Program([tree], RuleTest.References);
        GeneratorDriver driver = CSharpGeneratorDriver.Create([new EventTypesGenerator().AsSourceGenerator()],
            driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));
        driver = driver.RunGenerators(program, TestContext.Current.CancellationToken);

        driver = driver.RunGenerators(program.AddSyntaxTrees(CSharpSyntaxTree.ParseText("class Other;")), TestContext.Current.CancellationToken);

        var steps = driver.GetRunResult().Results[0].TrackedOutputSteps;
        var outputs = steps.SelectMany(static step => step.Value).SelectMany(static each => each.Outputs);
        Assert.All(outputs, static each => Assert.Equal(IncrementalStepRunReason.Cached, each.Reason));
    }

    private static IEnumerable<string> Described(EventTypeRegistry types) => types.All.OrderBy(static each => each.Name, StringComparer.Ordinal)
        .Select(static each => $"{each.Name} {each.Version} {each.ClrType} {each.IsVerified} {string.Join(' ', each.DeclaredTags.Forms)}");

    private static string SchemaOf(RegisteredEventType type) => System.Text.Encoding.UTF8.GetString(EventSchema.Of(type, paths: null)!.Text.Span);

    private static async Task<string> OutcomeAsync(EventTypeRegistry types, string type, string json)
    {
        await using var store = InMemoryEventStore.Open(new OpossumOptions { EventTypes = types });
        try
        {
            await store.AppendAsync(NewEvent.FromJson(type, json));
            var read = (await store.ReadLastAsync(Query.All))!.Data!;
            await store.AppendAsync(new NewEvent(read));
            var written = (await store.ReadLastAsync(Query.All))!;
            return $"{written.Data} {string.Join(' ', written.Tags)} {System.Text.Encoding.UTF8.GetString(written.Json.Span)}";
        }
        catch (EventStoreException e)
        {
            return e.Message;
        }
    }

    private static EventTypeRegistry Registered(Assembly assembly) =>
        (EventTypeRegistry)AddGenerated(assembly).Invoke(null, [new EventTypeRegistry()])!;

    private static MethodInfo AddGenerated(Assembly assembly) => assembly.GetType("Opossum.GeneratedEventTypes")!.GetMethod("AddGenerated")!;

    private static Assembly Compiled(string source, string? library = null)
    {
        var references = RuleTest.References;
        if (library is not null)
        {
            var part = Program([CSharpSyntaxTree.ParseText(library)], references);
            Loaded(part);
            // As a build sees the assembly of another project.
            using var reference = new MemoryStream();
            Assert.True(part.Emit(reference, options: new EmitOptions(metadataOnly: true, includePrivateMembers: false)).Success);
            references = [.. references, MetadataReference.CreateFromImage(reference.ToArray())];
        }
        // Types of a file need its name.
        var tree = CSharpSyntaxTree.ParseText(source, path: "Events.cs");
        CSharpGeneratorDriver.Create(new EventTypesGenerator())
            .RunGeneratorsAndUpdateCompilation(Program([tree], references), out var program, out _);
        return Loaded(program);
    }

    private static Assembly Loaded(Compilation program)
    {
        using var stream = new MemoryStream();
        var result = program.Emit(stream);
        var problems = result.Diagnostics.Where(static each => each.Severity >= DiagnosticSeverity.Warning).ToList();
        Assert.True(problems.Count == 0, string.Join('\n', problems));
        stream.Position = 0;
        return AssemblyLoadContext.Default.LoadFromStream(stream);
    }

    private static CSharpCompilation Program(SyntaxTree[] trees, IReadOnlyList<MetadataReference> references) => CSharpCompilation.Create(
        $"events-{Guid.NewGuid():N}",
        [.. trees, CSharpSyntaxTree.ParseText("global using System; global using System.Collections.Generic; global using Opossum;")],
        references,
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));
}
