using System.Globalization;
using System.Text.Json.Nodes;

namespace Opossum.Serialization;

/// <summary>
/// The members of a type's JSON, and which of them are personal: a graph, with a cycle where a class contains itself.
/// </summary>
internal sealed class JsonShape
{
    private readonly Dictionary<string, JsonShape> members = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> names = new(StringComparer.OrdinalIgnoreCase);
    private Dictionary<string, JsonShape>? variants;
    private string? discriminator;

    /// <summary>The rule of the value itself; null: it is not personal as a whole.</summary>
    public PersonalRule? Rule { get; private set; }

    /// <summary>The elements of an array; null: nothing is known of them.</summary>
    public JsonShape? Elements { get; set; }

    /// <summary>The members of an object that are not known by name, as in a dictionary; null: nothing is known of them.</summary>
    public JsonShape? Values { get; set; }

    public IReadOnlyDictionary<string, JsonShape> Members => members;

    /// <summary>The shapes of derived classes.</summary>
    public IEnumerable<JsonShape> Variants => variants?.Values ?? Enumerable.Empty<JsonShape>();

    /// <summary>Whether the value, or anything in it, is personal: known once the graph is complete.</summary>
    public bool IsPersonal { get; private set; }

    /// <summary>Whether nothing is known of what the value contains.</summary>
    public bool IsLeaf => members.Count == 0 && Elements is null && Values is null && variants is null;

    public static JsonShape Of(PersonalRule rule) => new() { Rule = rule, IsPersonal = true };

    /// <summary>The name as it is declared of a member whose name may differ in case; null: there is none.</summary>
    public string? NameOf(string member) => members.ContainsKey(member) ? member : names.GetValueOrDefault(member);

    /// <summary>The shape of a member whose name may differ in case; null: nothing is known of it.</summary>
    public JsonShape? MemberOf(string member) => NameOf(member) is { } known ? members[known] : Values;

    public void Add(string member, JsonShape shape)
    {
        members[member] = shape;
        names.TryAdd(member, member);
    }

    /// <summary>The shape of a member on the path to a personal one, added if it is missing.</summary>
    public JsonShape Open(string member)
    {
        if (!members.TryGetValue(member, out var shape))
            Add(member, shape = OnPath());
        return shape;
    }

    /// <summary>An empty shape on the path to a personal member.</summary>
    public static JsonShape OnPath() => new() { IsPersonal = true };

    /// <summary>Adds a derived class, whose objects name it by a member.</summary>
    public void AddVariant(string member, object value, JsonShape shape)
    {
        discriminator = member;
        (variants ??= new(StringComparer.Ordinal))[Convert.ToString(value, CultureInfo.InvariantCulture)!] = shape;
    }

    /// <summary>The shape of an object, which may be that of a derived class.</summary>
    /// <param name="find">Returns the text or the number that a member of the object has; null: it has none.</param>
    public JsonShape VariantOf(Func<string, string?> find) =>
        variants is not null && find(discriminator!) is { } value ? variants.GetValueOrDefault(value, this) : this;

    /// <summary>The shape of an object in compact JSON, which may be that of a derived class.</summary>
    public JsonShape VariantOf(ReadOnlySpan<byte> json) =>
        variants is not null && PersonalValues.ValueIn(json, discriminator!, ignoresCase: false) is { } value
            ? variants.GetValueOrDefault(value, this) : this;

    /// <summary>Puts the placeholders in the place of personal members that are lost.</summary>
    public JsonNode? WithPlaceholders(JsonNode? json, LostPlaces lost, string path = "")
    {
        if (Rule is not null)
            return json is null && lost.Has(path, Rule) ? Rule.Placeholder?.DeepClone() : json;
        if (json is JsonObject members)
        {
            var shape = VariantOf(member => members[member]?.ToString());
            foreach (var (name, value) in members.ToList())
            {
                if (shape.MemberOf(name) is not { IsPersonal: true } member)
                    continue;
                if (member.WithPlaceholders(value, lost, MemberPath.Member(path, name)) is var now && now != value)
                    members[name] = now;
            }
        }
        else if (json is JsonArray array && Elements is { IsPersonal: true })
        {
            for (var at = 0; at < array.Count; at++)
            {
                if (Elements.WithPlaceholders(array[at], lost, MemberPath.Element(path, at)) is var now && now != array[at])
                    array[at] = now;
            }
        }
        return json;
    }

    /// <summary>The same without cycles: a shape that is in itself is empty there.</summary>
    public JsonShape ToTree()
    {
        var tree = ToTree([]);
        tree.Complete();
        return tree;
    }

    /// <summary>Marks each shape that leads to a personal member, once the graph is complete.</summary>
    /// <returns>All shapes.</returns>
    public HashSet<JsonShape> Complete()
    {
        var all = new HashSet<JsonShape> { this };
        var open = new Stack<JsonShape>(all);
        while (open.TryPop(out var shape))
        {
            foreach (var next in shape.Next().Where(all.Add))
                open.Push(next);
        }
        for (var isNews = true; isNews;)
        {
            isNews = false;
            foreach (var shape in all)
            {
                if (!shape.IsPersonal && shape.Next().Any(static next => next.IsPersonal))
                    isNews = shape.IsPersonal = true;
            }
        }
        return all;
    }

    private JsonShape ToTree(HashSet<JsonShape> outer)
    {
        if (Rule is not null)
            return this;
        var tree = new JsonShape();
        if (!outer.Add(this))
            return tree;
        foreach (var (name, member) in members)
            tree.Add(name, member.ToTree(outer));
        tree.Elements = Elements?.ToTree(outer);
        tree.Values = Values?.ToTree(outer);
        foreach (var (value, variant) in variants ?? [])
            tree.AddVariant(discriminator!, value, variant.ToTree(outer));
        outer.Remove(this);
        return tree;
    }

    private IEnumerable<JsonShape> Next()
    {
        var next = members.Values.Concat(Variants);
        if (Elements is not null)
            next = next.Append(Elements);
        return Values is null ? next : next.Append(Values);
    }
}
